import TapelineTestSupport
import Testing

extension EndToEnd {
  /// How a TLS connection ends is for its two ends to judge: it ends through us as it would without us, with close_notify or with
  /// a bare FIN.
  @Suite struct CloseNotify {
    private let authority: TestAuthority
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      directory = try TemporaryDirectory()
    }

    private var interception: [String] {
      ["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]
    }

    /// The content that a client gets, and how its connection ends.
    private func end(of origin: TLSOrigin, through proxy: TapelineProcess? = nil, leavingBy exit: String = "") throws -> String {
      let trusted = proxy == nil ? authority.certificate : directory.path("ca.pem")
      let client = try TestProcess("python3", ["-c", clientProgram, "\(proxy?.port ?? 0)", "\(origin.port)", trusted, exit])
      try client.wait()
      #expect(client.exitStatus == .exited(0), "\(client.errorText)")
      return client.outputText
    }

    @Test(
      "A response ends as the origin ends it",
      arguments: [
        (TLSOrigin.Answer.endless, "unknown notify\n", nil as String?), (.endlessBare, "unknown bare\n", nil),
        (.lengthBare, "unknown bare\n", nil), (.shortBare, "unknown bare\n", "closed"), (.chunkBare, " bare\n", "closed"),
        (.upgradeBare, "switched bare\n", nil),
      ])
    func response(answer: TLSOrigin.Answer, expected: String, error: String?) throws {
      let origin = try TLSOrigin(authority, answer: answer)
      let direct = try end(of: origin)
      #expect(direct.hasSuffix(expected), "\(direct)")
      let recording = try recording(interception) { proxy in
        let proxied = try end(of: origin, through: proxy)
        #expect(proxied.hasSuffix(expected), "\(proxied)")
      }
      let entry = try #require(recording.entries.first)
      #expect(entry.error?["kind"]?.string == error, "\(entry.tree)")
      let anomalies = entry.tree["_anomalies"]?.elements.compactMap(\.string) ?? []
      #expect(anomalies.contains { $0.contains("close_notify") } == (answer == .endlessBare), "\(anomalies)")
    }

    @Test("A client's connection ends at the origin as the client ends it", arguments: ["notify", "bare"])
    func clientsEnd(exit: String) throws {
      for answer in [TLSOrigin.Answer.upgrade, .length] {
        let direct = try TLSOrigin(authority, answer: answer)
        _ = try end(of: direct, leavingBy: exit)
        let way = try direct.waitForClientsEnd()
        #expect(way == exit)
        let origin = try TLSOrigin(authority, answer: answer)
        _ = try recording(interception) { proxy in
          _ = try end(of: origin, through: proxy, leavingBy: exit)
          let way = try origin.waitForClientsEnd()
          #expect(way == exit, "\(answer)")
        }
      }
    }
  }
}

private let clientProgram = """
  import socket, ssl, sys
  proxy, port, authority, leave = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
  plain = socket.create_connection(("127.0.0.1", proxy or port))
  if proxy:
    plain.sendall(b"CONNECT localhost:%d HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n" % (port, port))
    assert plain.recv(4096).startswith(b"HTTP/1.1 200")
  s = ssl.create_default_context(cafile=authority).wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False)
  s.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost:%d\\r\\nConnection: Upgrade\\r\\nUpgrade: test\\r\\n\\r\\n" % port)
  data, end = b"", ""
  while not end and not (leave and (b"\\r\\n\\r\\nunknown" in data or b"switched" in data)):
    try:
      more = s.recv(65536)
      data += more
      if not more:
        end = "notify"
    except ssl.SSLEOFError:
      end = "bare"
    except OSError as error:
      end = repr(error)
  print(data.split(b"\\r\\n\\r\\n", 1)[1].decode(), end)
  if leave == "notify":
    try:
      s.unwrap()
    except OSError:
      pass
  elif leave:
    s.shutdown(socket.SHUT_WR)
    plain.close()
  """
