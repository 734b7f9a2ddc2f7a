import TapelineTestSupport

/// An origin that answers before it has the request, as its path says, and reports what it got; Python's, with HTTP/1.1 in clear
/// and over TLS, and with HTTP/2 over TLS.
///
/// `/reads` reads on, `/echo` sends back what comes, `/ends` says `Connection: close` and ends its direction, `/refuses` does so
/// with 413, and `/resets` resets the connection after the first bytes; in HTTP/2 the last three reset the stream.
final class EarlyOrigin: Sendable {
  enum Version: String, Sendable {
    case clear
    case http1 = "http/1.1"
    case http2 = "h2"
  }

  private let process: TestProcess
  let url: String

  init(_ version: Version, identity: TestIdentity) throws {
    process = try TestProcess(
      pythonInterpreter(), ["-u", "-c", Self.program, version.rawValue, identity.certificate, identity.key])
    let port = try process.waitForOutputLine(containing: "port ", seconds: 30).dropFirst("port ".count)
    url = "\(version == .clear ? "http" : "https")://localhost:\(port)"
  }

  /// What each connection from number `first` on has carried, once `count` requests have ended since: a line for a request, with
  /// its connection's number since then, its path, and the bytes of its body or `cut`.
  func requests(after first: Int, count: Int) throws -> [String] {
    for number in 1...count { _ = try process.waitForOutputLine(containing: "request \(first + number) ", seconds: 30) }
    let lines = process.outputText.split(separator: "\n").filter { $0.hasPrefix("request ") }.dropFirst(first)
    var numbers: [Substring: Int] = [:]
    return lines.prefix(count).map { line in
      let words = line.split(separator: " ")
      let connection = numbers[words[2], default: numbers.count]
      numbers[words[2]] = connection
      return "\(connection) \(words[3]) \(words[4])"
    }
  }

  private static let program = #"""
    import re, socket, ssl, struct, sys, threading

    version, certificate, key = sys.argv[1:4]
    context = None
    if version != 'clear':
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols([version])
    lock, ended = threading.Lock(), 0

    def say(connection, path, count):
        global ended
        with lock:
            ended += 1
            print('request', ended, connection, path, count, flush=True)

    class Cut(Exception):
        pass

    class Peer:
        def __init__(self, socket):
            self.socket, self.bytes = socket, b''

        def fill(self):
            piece = self.socket.recv(65536)
            if not piece:
                raise Cut
            self.bytes += piece

        def until(self, mark):
            while mark not in self.bytes:
                self.fill()
            head, self.bytes = self.bytes.split(mark, 1)
            return head

        def take(self, most):
            if not self.bytes:
                self.fill()
            piece, self.bytes = self.bytes[:most], self.bytes[most:]
            return piece

        def body(self, head):
            length = re.search(rb'(?im)^content-length: *(\d+)', head)
            left = int(length[1]) if length else 0
            while left:
                piece = self.take(left)
                left -= len(piece)
                yield piece
            if not length:
                while size := int(self.until(b'\r\n'), 16):
                    while size:
                        piece = self.take(size)
                        size -= len(piece)
                        yield piece
                    self.until(b'\r\n')
                self.until(b'\r\n')

    def serve(s, number):
        peer = Peer(s)
        while True:
            head = peer.until(b'\r\n\r\n')
            path = head.split(b' ')[1].decode()
            mode = path.split('/')[1]
            count = 0
            try:
                if mode == 'echo':
                    s.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
                    for piece in peer.body(head):
                        s.sendall(b'%x\r\n%s\r\n' % (len(piece), piece))
                        count += len(piece)
                    s.sendall(b'0\r\n\r\n')
                else:
                    status = b'413 Content Too Large' if mode == 'refuses' else b'200 OK'
                    close = b'' if mode == 'reads' else b'Connection: close\r\n'
                    s.sendall(b'HTTP/1.1 %s\r\n%sContent-Length: 5\r\n\r\nearly' % (status, close))
                    if mode == 'resets':
                        peer.fill()
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                        s.close()
                        raise Cut
                    if mode in ('ends', 'refuses') and not context:
                        s.shutdown(socket.SHUT_WR)
                    count += sum(map(len, peer.body(head)))
                say(number, path, count)
            except (Cut, OSError):
                say(number, path, 'cut')
                return
            if mode in ('ends', 'refuses'):
                return

    def serve2(s, number):
        import h2.config, h2.connection, h2.events
        c = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding='utf-8'))
        c.initiate_connection()
        s.sendall(c.data_to_send())
        paths, counts = {}, {}
        while data := s.recv(65536):
            for event in c.receive_data(data):
                stream = getattr(event, 'stream_id', None)
                if isinstance(event, h2.events.RequestReceived):
                    paths[stream], counts[stream] = dict(event.headers)[':path'], 0
                    mode = paths[stream].split('/')[1]
                    c.send_headers(stream, [(':status', '413' if mode == 'refuses' else '200')])
                    if mode != 'echo':
                        c.send_data(stream, b'early', end_stream=True)
                    if mode in ('ends', 'refuses', 'resets'):
                        c.reset_stream(stream, 8 if mode == 'resets' else 0)
                        say(number, paths[stream], 'cut')
                elif isinstance(event, h2.events.DataReceived):
                    counts[stream] += len(event.data)
                    if paths[stream].startswith('/echo'):
                        c.send_data(stream, event.data)
                    c.acknowledge_received_data(event.flow_controlled_length, stream)
                elif isinstance(event, h2.events.StreamEnded):
                    if paths[stream].startswith('/echo'):
                        c.end_stream(stream)
                    say(number, paths[stream], counts[stream])
                    # curl 7.88 that was answered early ends, after its last byte, only when another frame comes.
                    if c.state_machine.state != h2.connection.ConnectionState.CLOSED:
                        c.ping(b'received')
                elif isinstance(event, h2.events.StreamReset):
                    say(number, paths[stream], 'cut')
            s.sendall(c.data_to_send())

    def welcome(s, number):
        try:
            s.settimeout(60)
            s = context.wrap_socket(s, server_side=True) if context else s
            (serve2 if version == 'h2' else serve)(s, number)
        except (Cut, OSError):
            pass
        finally:
            s.close()

    listener = socket.create_server(('127.0.0.1', 0), backlog=64)
    print('port', listener.getsockname()[1], flush=True)
    number = 0
    while True:
        s, _ = listener.accept()
        threading.Thread(target=welcome, args=(s, number), daemon=True).start()
        number += 1
    """#
}
