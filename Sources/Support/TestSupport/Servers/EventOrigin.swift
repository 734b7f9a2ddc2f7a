internal import Synchronization
internal import TapelineSystem

/// A server, without TLS on one port and with TLS on another, that reports the events of its connections: whether a session was
/// resumed, which requests came, and which side ended the connection.
///
/// The path decides the behaviour: its last part may be `close` (announces the end and ends the connection), `hangup` (ends it
/// without an announcement), `reset`, `idle` (answers and ends the connection once it is idle), `early` (answers the head alone
/// and ends), `chunked`, `eof`. Everything else is answered with `hello`.
package final class EventOrigin: Sendable {
  /// One connection, as the server saw it.
  package struct Connection: Sendable, Hashable, CustomStringConvertible {
    package let isSecure: Bool
    package fileprivate(set) var isResumed = false
    /// Method and target of each request.
    package fileprivate(set) var requests: [String] = []
    /// `client` or `server`; `nil` while the connection is open.
    package fileprivate(set) var endedBy: String?

    package var description: String {
      let what = isSecure ? isResumed ? "TLS resumed" : "TLS" : "clear"
      return "\(what): \(requests.joined(separator: ", ")); ended by \(endedBy ?? "nobody yet")"
    }
  }

  package let port: UInt16
  package let tlsPort: UInt16
  private let process: TestProcess
  private let questions = Mutex(0)

  package init(identity: TestIdentity) throws(TestSupportError) {
    process = try TestProcess("python3", ["-u", "-c", eventOriginProgram, identity.certificate, identity.key])
    let line = try process.waitForOutputLine(containing: "ports ")
    let ports = line.split(separator: " ").dropFirst().compactMap { UInt16($0) }
    guard ports.count == 2 else { throw .malformed(line) }
    port = ports[0]
    tlsPort = ports[1]
  }

  /// All connections so far whose handshake is over, in the order of acceptance.
  package var connections: [Connection] {
    var connections: [Int: Connection] = [:]
    for line in process.outputText.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 2, let number = Int(words[1]) else { continue }
      switch words[0] {
      case "accept": connections[number] = Connection(isSecure: words[2] == "tls")
      case "resumed": connections[number]?.isResumed = true
      case "request": connections[number]?.requests.append(words[2...].joined(separator: " "))
      case "end": connections[number]?.endedBy = words[2]
      default: continue
      }
    }
    return connections.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Waits until all accepted connections have ended; connections that have not by then are still open in the result.
  package func connectionsAtRest(seconds: Int64 = 5) -> [Connection] {
    let question = questions.withLock { number in
      number += 1
      return number
    }
    process.signal(ProcessSignal.user1)
    // If a connection does not end, the result shows it.
    _ = try? process.waitForOutputLine(containing: "rest \(question) ", seconds: seconds)
    return connections
  }
}

private let eventOriginProgram = #"""
  import asyncio, signal, socket, ssl, struct, sys

  count = questions = 0
  tasks = set()

  def response(body, *fields, status='200 OK', length=True):
      lines = [f'HTTP/1.1 {status}', 'Date: Thu, 01 Jan 2026 00:00:00 GMT', *fields]
      if length:
          lines.append(f'Content-Length: {len(body)}')
      return ('\r\n'.join(lines) + '\r\n\r\n').encode() + body

  async def read_body(reader, fields):
      if fields.get('transfer-encoding') == 'chunked':
          while size := int(await reader.readline(), 16):
              await reader.readexactly(size + 2)
          while (await reader.readline()).strip():
              pass
      elif length := int(fields.get('content-length', 0)):
          await reader.readexactly(length)

  async def exchange(number, reader, writer):
      """Whether the connection goes on."""
      head = (await reader.readuntil(b'\r\n\r\n')).decode('latin-1').split('\r\n')
      method, target, version = head[0].split(' ')
      fields = {name.lower(): value.strip() for name, _, value in (line.partition(':') for line in head[1:] if line)}
      print('request', number, method, target)
      what = target.rpartition('/')[2]
      if what == 'early':
          writer.write(response(b'too much', 'Connection: close', status='413 Content Too Large'))
          return False
      if fields.get('expect', '').lower() == '100-continue':
          writer.write(b'HTTP/1.1 100 Continue\r\n\r\n')
      await read_body(reader, fields)
      wishes = [wish.strip().lower() for wish in fields.get('connection', '').split(',')]
      keeps = 'close' not in wishes and (version == 'HTTP/1.1' or 'keep-alive' in wishes)
      if what == 'close' or not keeps:
          writer.write(response(b'hello', 'Connection: close'))
          return False
      if what == 'eof':
          writer.write(response(b'hello', 'Connection: close', length=False))
          return False
      if what == 'chunked':
          writer.write(response(b'5\r\nhello\r\n0\r\n\r\n', 'Transfer-Encoding: chunked', length=False))
          return True
      writer.write(response(b'hello', *(['Connection: keep-alive'] if version == 'HTTP/1.0' else [])))
      if what == 'reset':
          await writer.drain()
          # The answer is to arrive before what takes it back.
          await asyncio.sleep(0.05)
          writer.get_extra_info('socket').setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
          writer.transport.abort()
          return False
      if what == 'idle':
          await writer.drain()
          await asyncio.sleep(0.05)
          return False
      return what != 'hangup'

  async def serve(number, reader, writer):
      tasks.add(asyncio.current_task())
      secured = writer.get_extra_info('ssl_object')
      print('accept', number, 'tls' if secured else 'clear')
      if secured and secured.session_reused:
          print('resumed', number)
      by = 'server'
      try:
          while await exchange(number, reader, writer):
              await writer.drain()
          if not writer.transport.is_closing():
              await writer.drain()
      except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
          by = 'client'
      writer.close()
      print('end', number, by)
      tasks.discard(asyncio.current_task())

  async def begin(number, connection, context):
      reader = asyncio.StreamReader()
      protocol = asyncio.StreamReaderProtocol(reader, lambda reader, writer: serve(number, reader, writer))
      try:
          await asyncio.get_running_loop().connect_accepted_socket(lambda: protocol, connection, ssl=context)
      except OSError:
          pass

  async def accept(listener, context):
      """Numbers connections when they are accepted: handshakes beside each other end in any order."""
      global count
      beginnings = set()
      while True:
          connection, _ = await asyncio.get_running_loop().sock_accept(listener)
          beginning = asyncio.create_task(begin(count, connection, context))
          count += 1
          beginnings.add(beginning)
          beginning.add_done_callback(beginnings.discard)

  def listen():
      listener = socket.create_server(('127.0.0.1', 0), backlog=100)
      listener.setblocking(False)
      return listener

  async def report():
      global questions
      questions += 1
      question = questions
      while tasks:
          await asyncio.wait(list(tasks))
      print('rest', question, 'of', count)

  async def main():
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(sys.argv[1], sys.argv[2])
      plain, secure = listen(), listen()
      asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: asyncio.create_task(report()))
      print('ports', plain.getsockname()[1], secure.getsockname()[1])
      await asyncio.gather(accept(plain, None), accept(secure, context))

  asyncio.run(main())
  """#
