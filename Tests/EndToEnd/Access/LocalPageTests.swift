import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The proxy's own pages, as browsers, phones and scripts get them.
  @Suite struct OwnPages {
    private static func page(
      _ path: String, host: String? = nil, fields: String = "", from proxy: TapelineProcess
    ) throws -> RawMessage {
      try proxy.request("GET \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(proxy.port)")\r\n\(fields)\r\n").receiveResponse()
    }

    @Test("RFC 9112 3.2.1, 3.2.2: in origin-form and in absolute-form, by every name of the machine's loopback")
    func names() throws {
      let machine = try TestProcess("hostname")
      try machine.wait()
      let hostName = machine.outputText.split(separator: "\n").first.map(String.init) ?? ""
      _ = try recording(["--listen", "[::1]:0"]) { proxy in
        let six = try #require(try readText(proxy.portFile).split(separator: ":").last.flatMap { UInt16($0.dropLast()) })
        for host in ["127.0.0.1", "localhost", "LocalHost", "a.localhost", "[::1]", hostName, "\(hostName).local"] {
          #expect(try Self.page("/healthz", host: "\(host):\(proxy.port)", from: proxy).bodyText == "ok\n", "\(host)")
        }
        for authority in ["127.0.0.1:\(proxy.port)", "localhost:\(proxy.port)", "[::1]:\(six)"] {
          let page = try Self.page("http://\(authority)/", host: "evil.example", from: proxy)
          #expect(page.status == 200, "the target decides, not Host: \(authority)")
          #expect(page.bodyText.contains("export HTTP_PROXY=http://\(authority) HTTPS_PROXY=http://\(authority)\n"))
        }
        #expect(try Self.page("http://127.0.0.1:\(proxy.port)/nothing", from: proxy).status == 404)
        let six1 = try RawClient(port: six, on: .v6)
        try six1.send("GET /proxy.pac HTTP/1.1\r\nHost: [::1]:\(six)\r\n\r\n")
        #expect(try six1.receiveResponse().bodyText.contains("\"PROXY [::1]:\(six)\""))
      }
    }

    @Test("RFC 9110 9.3.2, 15.5.5, 15.5.6: only GET and HEAD, and only of what there is")
    func methods() throws {
      let recording = try recording { proxy in
        let client = try proxy.connect()
        let host = "Host: 127.0.0.1:\(proxy.port)\r\n"
        for path in ["/", "/proxy.pac", "/healthz", "/metrics"] {
          try client.send("GET \(path) HTTP/1.1\r\n\(host)\r\n")
          let whole = try client.receiveResponse()
          #expect(whole.status == 200)
          for (name, value) in [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
          ] {
            #expect(whole.value(of: name) == value, "\(path) \(name)")
          }
          #expect(whole.value(of: "Set-Cookie") == nil && whole.value(of: "Access-Control-Allow-Origin") == nil)
          try client.send("HEAD \(path) HTTP/1.1\r\n\(host)\r\n")
          let head = try client.receiveResponse(to: "HEAD")
          #expect(head.status == 200)
          #expect(head.value(of: "Content-Type") == whole.value(of: "Content-Type"))
          for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "MADE-UP"] {
            try client.send("\(method) \(path) HTTP/1.1\r\n\(host)\r\n")
            let refusal = try client.receiveResponse(to: method)
            #expect(refusal.status == 405, "\(method) \(path)")
            #expect(refusal.value(of: "Allow") == "GET, HEAD")
            #expect(refusal.value(of: "X-Content-Type-Options") == "nosniff")
          }
        }
        for path in ["/nothing", "/../healthz", "/healthz/", "/ca.pem", "/ca.crt", "//healthz", "/%68ealthz"] {
          try client.send("GET \(path) HTTP/1.1\r\n\(host)\r\n")
          let missing = try client.receiveResponse()
          #expect(missing.status == 404, "\(path)")
          #expect(missing.value(of: "Content-Type") == "text/plain; charset=utf-8")
        }
      }
      #expect(recording.entries.allSatisfy { $0.url.contains("127.0.0.1") })
    }

    @Test("RFC 9110 7.4: a name that somebody lets point here does not make the pages theirs (DNS rebinding)")
    func rebinding() throws {
      _ = try recording { proxy in
        for host in [
          "evil.example", "evil.example:\(proxy.port)", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io",
          "127.1",
          "0x7f.1", "localhost.", "notlocalhost",
        ] {
          for path in ["/", "/metrics", "/ca.pem", "/proxy.pac", "/healthz", "/nothing"] {
            let page = try Self.page(path, host: host, from: proxy)
            #expect(page.status == 421, "\(host)\(path)")
          }
        }
      }
    }

    @Test("RFC 6454 7, Fetch Metadata: a page of another site neither reads nor frames them; a link to them works")
    func otherSites() throws {
      _ = try recording { proxy in
        let own = "http://127.0.0.1:\(proxy.port)"
        for fields in [
          "Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: https://127.0.0.1:\(proxy.port)\r\n",
          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
          "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n",
          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: embed\r\n",
        ] {
          for path in ["/", "/metrics", "/proxy.pac"] {
            let page = try Self.page(path, fields: fields, from: proxy)
            #expect(page.status == 403, "\(fields)")
          }
        }
        for fields in [
          "", "Origin: \(own)\r\n", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
          "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n",
        ] {
          let page = try Self.page("/metrics", fields: fields, from: proxy)
          #expect(page.status == 200, "\(fields)")
        }
      }
    }

    @Test("The automatic configuration is a program that sends every URL here, under the name by which it was asked for")
    func automaticConfiguration() throws {
      _ = try recording { proxy in
        for host in ["127.0.0.1:\(proxy.port)", "localhost:\(proxy.port)", "[::1]:\(proxy.port)"] {
          let page = try Self.page("/proxy.pac?any=thing", host: host, from: proxy)
          #expect(page.value(of: "Content-Type") == "application/x-ns-proxy-autoconfig")
          let program = """
            'use strict'; \(page.bodyText)
            const asked = [['http://a.example/', 'a.example'], ['https://localhost:1/x?y', 'localhost'], ['ws://[::1]/', '[::1]']];
            console.log([...new Set(asked.map(([url, host]) => FindProxyForURL(url, host)))].join('|'));
            """
          let node = try TestProcess("node", ["-e", program])
          #expect(try node.wait().isSuccess, "\(node.errorText)")
          #expect(node.outputText == "PROXY \(host)\n")
        }
        for host in ["x\";evil().localhost", "x'.localhost", "x\\.localhost", "a b.localhost", "<b>.localhost"] {
          let page = try Self.page("/proxy.pac", host: host, from: proxy)
          #expect(page.status != 200 || !page.bodyText.contains(where: { "\\<".contains($0) }), "\(host): \(page.bodyText)")
          #expect(page.status != 200 || page.bodyText.count { $0 == "\"" } == 2, "\(host): \(page.bodyText)")
        }
      }
    }

    /// As openssl reads the certificate.
    private static func fingerprint(of bytes: [UInt8], _ form: String) throws -> String {
      let openssl = try TestProcess(
        "openssl", ["x509", "-inform", form, "-noout", "-fingerprint", "-sha256", "-ext", "basicConstraints"], input: bytes)
      try openssl.wait()
      return openssl.outputText
    }

    @Test("RFC 7468 5, RFC 5280: the authority that is handed out is the one that signs, as PEM and as DER")
    func authority() throws {
      let directory = try TemporaryDirectory()
      let ca = directory.path("ca")
      _ = try recording(["--intercept", "--ca-dir", ca]) { proxy in
        let exported = try TestProcess(TapelineProcess.binary, ["ca", "export", "--ca-dir", ca])
        #expect(try exported.wait().isSuccess, "\(exported.errorText)")
        let pem = try Self.page("/ca.pem", from: proxy)
        #expect(pem.value(of: "Content-Type") == "application/x-pem-file")
        #expect(pem.body == exported.standardOutput)
        let der = try Self.page("/ca.crt", from: proxy)
        #expect(der.value(of: "Content-Type") == "application/x-x509-ca-cert")
        let fingerprints = try [(exported.standardOutput, "PEM"), (pem.body, "PEM"), (der.body, "DER")].map { bytes, form in
          try Self.fingerprint(of: bytes, form)
        }
        #expect(fingerprints[0].contains("CA:TRUE"))
        #expect(Set(fingerprints).count == 1)
        #expect(!pem.bodyText.contains("PRIVATE KEY"))
      }
    }
  }
}
