import TapelineTestSupport

/// A server on Python's OpenSSL that tells of each handshake and of how its connections end.
struct TLSOrigin {
  enum Certificates: String {
    case none
    /// Asks the client for one, and does without.
    case optional
    case required
  }

  /// How it answers a request.
  enum Answer: String {
    /// With a length, on a connection that persists.
    case length
    /// With a length, and then a FIN without close_notify.
    case lengthBare
    /// With less than the length that it announces, and then such a FIN.
    case shortBare
    /// Without a length, and then such a FIN.
    case endlessBare
    /// Without a length, and then close_notify.
    case endless
    /// With half of a chunk, and then a bare FIN.
    case chunkBare
    /// With a 101, and then a FIN without close_notify.
    case upgradeBare
    /// With a 101, and then it waits for the client's end.
    case upgrade
  }

  let port: UInt16
  private let process: TestProcess

  /// - Parameter version: `1.2` or `1.3`; empty: both.
  init(
    _ authority: TestAuthority, version: String = "", certificates: Certificates = .none, answer: Answer = .length
  ) throws {
    let identity = try authority.issue()
    process = try TestProcess(
      "python3",
      ["-u", "-c", program, identity.certificate, identity.key, authority.certificate, version, certificates.rawValue]
        + [answer.rawValue])
    let line = try process.waitForOutputLine(containing: "port ")
    guard let port = UInt16(line.dropFirst("port ".count)) else { throw TestSupportError.malformed(line) }
    self.port = port
  }

  func url(_ path: String = "/") -> String { "https://localhost:\(port)\(path)" }

  /// The lines about handshakes, in order: `full TLSv1.3`.
  var handshakes: [String] { lines("handshake ") }

  /// How the client has ended a connection: `notify` or `bare`.
  func waitForClientsEnd() throws -> String {
    String(try process.waitForOutputLine(containing: "end ").dropFirst("end ".count))
  }

  private func lines(_ prefix: String) -> [String] {
    process.outputText.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }
}

private let program = """
  import socket, ssl, sys, threading
  certificate, key, authority, version, certificates, answer = sys.argv[1:]
  context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
  context.load_cert_chain(certificate, key)
  context.load_verify_locations(authority)
  context.verify_mode = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}[certificates]
  if version:
    context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, "TLSv" + version.replace(".", "_"))
  answers = {
    "length": "Content-Length: {0}\\r\\n\\r\\n{1}", "lengthBare": "Content-Length: {0}\\r\\n\\r\\n{1}",
    "shortBare": "Content-Length: 100\\r\\n\\r\\n{1}", "endlessBare": "Connection: close\\r\\n\\r\\n{1}",
    "endless": "Connection: close\\r\\n\\r\\n{1}", "chunkBare": "Transfer-Encoding: chunked\\r\\n\\r\\n40\\r\\n{1}"}

  def serve(plain):
    try:
      s = context.wrap_socket(plain, server_side=True, suppress_ragged_eofs=False)
      print("handshake", "resumed" if s.session_reused else "full", s.version())
      data = b""
      while True:
        while b"\\r\\n\\r\\n" not in data:
          more = s.recv(65536)
          if not more:
            return print("end notify")
          data += more
        data = data.split(b"\\r\\n\\r\\n", 1)[1]
        if answer.startswith("upgrade"):
          s.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: test\\r\\n\\r\\nswitched")
        else:
          text = "known" if certificates != "none" and s.getpeercert() else "unknown"
          s.sendall(("HTTP/1.1 200 OK\\r\\n" + answers[answer].format(len(text), text)).encode())
        if answer.endswith("Bare"):
          return s.shutdown(socket.SHUT_RDWR)
        if answer == "endless":
          return s.unwrap()
    except ssl.SSLEOFError:
      print("end bare")
    except OSError as error:
      print("failed", error)
    finally:
      plain.close()

  listener = socket.create_server(("127.0.0.1", 0))
  print("port", listener.getsockname()[1])
  while True:
    threading.Thread(target=serve, args=(listener.accept()[0],)).start()
  """
