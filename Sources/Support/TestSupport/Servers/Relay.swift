internal import Synchronization
internal import TapelineSystem

/// A recording relay of bytes: in front of a server, or between a client without TLS and a server with TLS. It keeps the bytes
/// of each connection, both ways.
///
/// So comparisons always see the bytes at the same place, for a scripted peer, nginx or Apache.
package final class Relay: Sendable {
  /// How the relay reaches its server.
  package enum Way: Sendable {
    case clear(port: UInt16)
    /// TLS with `localhost`; `authority` is a PEM file.
    case tls(port: UInt16, authority: String)
    /// TLS through a tunnel that the proxy at `proxy` opens.
    case tunnel(port: UInt16, authority: String, proxy: UInt16)
  }

  /// The bytes of one connection.
  package struct Connection: Sendable {
    package let fromClient: [UInt8]
    package let fromServer: [UInt8]
  }

  package let port: UInt16
  private let process: TestProcess
  private let directory: TemporaryDirectory
  private let questions = Mutex(0)

  /// - Parameter identity: if given, clients must use TLS.
  package init(_ way: Way, identity: TestIdentity? = nil) throws(TestSupportError) {
    directory = try TemporaryDirectory()
    let target: [String] =
      switch way {
      case .clear(let port): ["\(port)", "", ""]
      case .tls(let port, let authority): ["\(port)", authority, ""]
      case .tunnel(let port, let authority, let proxy): ["\(port)", authority, "\(proxy)"]
      }
    process = try TestProcess(
      "python3", ["-u", "-c", relayProgram, directory.path] + target + (identity.map { [$0.certificate, $0.key] } ?? []))
    let line = try process.waitForOutputLine(containing: "port ")
    guard let port = UInt16(line.dropFirst("port ".count)) else { throw .malformed(line) }
    self.port = port
  }

  /// All connections so far, in order of acceptance, once all of them have ended.
  package func connections(seconds: Int64 = 10) throws(TestSupportError) -> [Connection] {
    // The relay answers after the end of every connection that it has accepted.
    let question = questions.withLock { number in
      number += 1
      return number
    }
    process.signal(ProcessSignal.user1)
    let line = try process.waitForOutputLine(containing: "ended \(question) ", seconds: seconds)
    guard let count = line.split(separator: " ").last.flatMap({ Int($0) }) else { throw .malformed(line) }
    var connections: [Connection] = []
    for number in 0..<count {
      connections.append(
        Connection(
          fromClient: try readFile(directory.path("\(number).client")),
          fromServer: try readFile(directory.path("\(number).server"))))
    }
    return connections
  }
}

private let relayProgram = #"""
  import asyncio, signal, ssl, sys

  directory, port, authority, proxy, *identity = sys.argv[1:]
  LIMIT = 1 << 16
  connections = set()
  count = questions = 0

  async def pump(reader, writer, log):
      try:
          while piece := await reader.read(LIMIT):
              log.write(piece)
              writer.write(piece)
              await writer.drain()
      except (ConnectionError, ssl.SSLError, OSError):
          writer.transport.abort()

  async def reach():
      context = None
      if authority:
          context = ssl.create_default_context(cafile=authority)
      if not proxy:
          return await asyncio.open_connection('127.0.0.1', int(port), ssl=context, server_hostname=authority and 'localhost' or None)
      reader, writer = await asyncio.open_connection('127.0.0.1', int(proxy))
      writer.write(f'CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n'.encode())
      head = await reader.readuntil(b'\r\n\r\n')
      if not head.startswith(b'HTTP/1.1 200 '):
          raise ConnectionError(head)
      await writer.start_tls(context, server_hostname='localhost')
      return reader, writer

  async def serve(reader, writer):
      global count
      number, count = count, count + 1
      connections.add(asyncio.current_task())
      with open(f'{directory}/{number}.client', 'wb', 0) as client, open(f'{directory}/{number}.server', 'wb', 0) as server:
          try:
              far_reader, far_writer = await reach()
          except (ConnectionError, OSError, asyncio.IncompleteReadError) as error:
              print(error, file=sys.stderr)
              return writer.transport.abort()
          # Who ends the stream ends both ways: no client of the table goes on reading behind its own end.
          up = asyncio.create_task(pump(reader, far_writer, client))
          down = asyncio.create_task(pump(far_reader, writer, server))
          await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
          for end in (far_writer, writer):
              end.close()
          await asyncio.wait([up, down])
      connections.discard(asyncio.current_task())

  async def report():
      global questions
      questions += 1
      question = questions
      while connections:
          await asyncio.wait(list(connections))
      print('ended', question, 'of', count)

  async def main():
      context = None
      if identity:
          context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
          context.load_cert_chain(*identity)
      server = await asyncio.start_server(serve, '127.0.0.1', 0, ssl=context)
      asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: asyncio.create_task(report()))
      print('port', server.sockets[0].getsockname()[1])
      await server.serve_forever()

  asyncio.run(main())
  """#
