import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct RoutingLoops {
    @Test(
      "RFC 5842 7.2: a request that would come back to the listener, by whatever name, is a loop",
      arguments: ["127.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"])
    func theListenerByAnotherName(_ host: String) throws {
      let recording = try recording { proxy in
        for request in ["GET http://\(host):\(proxy.port)/x", "CONNECT \(host):\(proxy.port)"] {
          let client = try proxy.request("\(request) HTTP/1.1\r\nHost: x\r\n\r\n")
          let response = try client.receiveResponse(to: "CONNECT")
          #expect(response.status == 508, "\(request)")
          #expect(response.value(of: "Proxy-Status") == "tapeline; error=proxy_loop_detected", "\(request)")
        }
      }
      #expect(recording.entries.allSatisfy { $0.error?["kind"]?.string == "loop-detected" })
      #expect(recording.entries.count == 2)
    }

    @Test("RFC 9110 7.6.3: a request whose Via names us has been here before")
    func aRequestThatWasHereBefore() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording(["--via"]) { proxy in
        let name = try pseudonym(of: proxy, at: origin)
        #expect(name.wholeMatch(of: /tapeline-[0-9a-f]{6}/) != nil)
        let connections = origin.connections.count
        for via in [
          "1.1 \(name)", "HTTP/1.1 \(name.uppercased())", "1.0 a, 1.1 \(name) (x)", "1.1 a\r\nVia: 1.1 b,1.1\t\(name),1.1 c",
        ] {
          for request in ["GET \(origin.url())", "CONNECT \(origin.authority)"] {
            let client = try proxy.request("\(request) HTTP/1.1\r\nHost: x\r\nVia: \(via)\r\n\r\n")
            let response = try client.receiveResponse()
            #expect(response.status == 508, "\(via)")
            #expect(response.value(of: "Proxy-Status") == "tapeline; error=proxy_loop_detected", "\(via)")
          }
        }
        #expect(origin.connections.count == connections)
        for via in ["1.1 tapeline", "1.1 \(name)2", "1.1 x.\(name)", name, "1.1 a (\(name))", "1.1 \(name):8080", ""] {
          try proxy.expectForwarded(
            "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nVia: \(via)\r\n\r\n",
            as: "GET / HTTP/1.1\r\nHost: \(origin.authority)\r\nVia: \(via)\r\nVia: 1.1 \(name)\r\n\r\n", "\(via)")
        }
      }
      #expect(recording.entries.count { $0.error?["kind"]?.string == "loop-detected" } == 8)
    }

    /// The name that the proxy has given itself, as an origin is told it.
    private func pseudonym(of proxy: TapelineProcess, at origin: ScriptedOrigin) throws -> String {
      let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: x\r\n\r\n")
      let sent = try client.receiveResponse().bodyText.split(separator: "\r\n")
      return try #require(sent.last { $0.hasPrefix("Via: ") }?.split(separator: " ").last.map(String.init))
    }

    @Test("RFC 9110 7.6.2: Max-Forwards counts down for TRACE and OPTIONS, and at 0 the request is ours")
    func maxForwards() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording { proxy in
        for method in ["TRACE", "OPTIONS"] {
          for (value, expected) in [
            ("1", "0"), ("10", "9"), ("007", "6"), ("99999999999999999999999", "18446744073709551614"), ("+1", "+1"), ("x", "x"),
            ("", ""),
          ] {
            let arrived = try proxy.forwarded(
              "\(method) \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nMax-Forwards: \(value)\r\n\r\n", method: method)
            #expect(String(decoding: arrived, as: UTF8.self).contains("\r\nMax-Forwards: \(expected)\r\n"), "\(value)")
          }
        }
        for method in ["GET", "trace"] {
          let arrived = try proxy.forwarded(
            "\(method) \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nMax-Forwards: 0\r\n\r\n", method: method)
          #expect(String(decoding: arrived, as: UTF8.self).contains("\r\nMax-Forwards: 0\r\n"), "it means nothing to \(method)")
        }
        let client = try proxy.request("OPTIONS \(origin.url()) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n")
        let options = try client.receiveResponse(to: "OPTIONS")
        #expect(options.status == 200)
        #expect(options.value(of: "Allow")?.contains("CONNECT") == true)
        #expect(options.value(of: "Via") == nil, "nobody else has answered")
      }
    }

    @Test("RFC 9110 9.3.8: TRACE is reflected without credentials")
    func traceIsReflectedWithoutCredentials() throws {
      let origin = try ScriptedOrigin([.expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request(
          "TRACE \(origin.url("/t?q")) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 00\r\nCookie: a=hush\r\nX-Kept:  yes \r\n"
            + "Authorization: Basic hush\r\nproxy-authorization: Basic hush\r\n\r\n")
        let reply = try client.receiveResponse(to: "TRACE")
        #expect(reply.status == 200)
        #expect(reply.value(of: "Content-Type") == "message/http")
        #expect(reply.bodyText == "TRACE \(origin.url("/t?q")) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 00\r\nX-Kept: yes\r\n\r\n")
      }
      #expect(origin.connections.isEmpty)
    }
  }
}
