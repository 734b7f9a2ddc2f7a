import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The first settings that a client gets are the origin's, so that a WebSocket may be the first stream of its connection
  /// (RFC 8441 3).
  @Suite struct HTTP2FirstStream {
    private let authority: TestAuthority
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      directory = try TemporaryDirectory()
    }

    @Test(
      "The first settings say of extended CONNECT what the origin's say (RFC 8441 3)",
      arguments: [
        ("offers", "settings 1, opened 200 echo\n"), ("offers-late", "settings 1, opened 200 echo\n"),
        ("refuses", "settings 0\n"),
      ])
    func settings(manner: String, expected: String) throws {
      let identity = try authority.issue()
      let origin = try TestProcess(pythonInterpreter(), ["-u", "-c", originProgram, identity.certificate, identity.key, manner])
      defer { origin.signal(15) }
      let port = String(try origin.waitForOutputLine(containing: "port ").dropFirst("port ".count))
      let options = ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
      let recording = try recording(options) { proxy in
        let client = try TestProcess(
          pythonInterpreter(), ["-c", clientProgram, "\(proxy.port)", port, directory.path("ca.pem")])
        try client.wait()
        #expect(client.outputText == expected, "\(client.errorText)")
      }
      #expect(recording.entries.count == 1, "\(recording.entries.map(\.tree))")
    }

    @Test("A client that has a request does not wait for the origin's settings")
    func request() throws {
      let identity = try authority.issue()
      let origin = try TestProcess(
        pythonInterpreter(), ["-u", "-c", originProgram, identity.certificate, identity.key, "after-request"])
      defer { origin.signal(15) }
      let port = String(try origin.waitForOutputLine(containing: "port ").dropFirst("port ".count))
      let options = ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
      let recording = try recording(options) { proxy in
        let curl = try proxy.curl(["--http2", "--cacert", directory.path("ca.pem"), "https://localhost:\(port)/"])
        #expect(curl.outputText == "echo", "\(curl.errorText)")
      }
      #expect(recording.entries.map(\.status) == [200])
    }
  }
}

private let originProgram = """
  import h2.config, h2.connection, h2.events, h2.settings, select, socket, ssl, sys, threading
  certificate, key, manner = sys.argv[1:]
  context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
  context.load_cert_chain(certificate, key)
  context.set_alpn_protocols(["h2"])

  def has_request(data):
    data = data[24:]
    while len(data) >= 9:
      if data[3] == 1:
        return True
      data = data[9 + int.from_bytes(data[:3], "big"):]
    return False

  def serve(s):
    try:
      s = context.wrap_socket(s, server_side=True)
      c = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
      c.local_settings = h2.settings.Settings(client=False, initial_values={
        h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL: 0 if manner == "refuses" else 1})
      early = b""
      if manner == "offers-late":
        # The settings come once those of the client are here.
        early = s.recv(65536)
      while manner == "after-request" and not has_request(early):
        early += s.recv(65536)
      c.initiate_connection()
      s.sendall(c.data_to_send())
      while True:
        data, early = early or s.recv(65536), b""
        if not data:
          return
        for event in c.receive_data(data):
          if isinstance(event, h2.events.RequestReceived):
            c.send_headers(event.stream_id, [(":status", "200")])
            c.send_data(event.stream_id, b"echo", end_stream=dict(event.headers).get(b":method") != b"CONNECT")
        s.sendall(c.data_to_send())
    except OSError:
      pass

  listener = socket.create_server(("127.0.0.1", 0))
  print("port", listener.getsockname()[1])
  while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
  """

private let clientProgram = """
  import h2.config, h2.connection, h2.events, h2.settings, socket, ssl, sys
  proxy, port, authority = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
  s = socket.create_connection(("127.0.0.1", proxy))
  s.sendall(b"CONNECT localhost:%d HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n" % (port, port))
  assert s.recv(4096).startswith(b"HTTP/1.1 200")
  context = ssl.create_default_context(cafile=authority)
  context.set_alpn_protocols(["h2", "http/1.1"])
  s = context.wrap_socket(s, server_hostname="localhost")
  c = h2.connection.H2Connection(h2.config.H2Configuration())
  c.initiate_connection()
  s.sendall(c.data_to_send())
  offered, status, text = None, None, b""
  while text != b"echo":
    for event in c.receive_data(s.recv(65536)):
      if isinstance(event, h2.events.RemoteSettingsChanged) and offered is None:
        changed = event.changed_settings.get(h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL)
        offered = changed.new_value if changed else 0
        if not offered:
          print("settings 0")
          sys.exit()
        c.send_headers(1, [
          (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/"),
          (":authority", "localhost:%d" % port), ("sec-websocket-version", "13")])
      elif isinstance(event, h2.events.ResponseReceived):
        status = dict(event.headers)[b":status"].decode()
      elif isinstance(event, h2.events.DataReceived):
        text += event.data
    s.sendall(c.data_to_send())
  print("settings %d, opened %s %s" % (offered, status, text.decode()))
  """
