import Synchronization
import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineTestSupport
import Testing

@testable import TapelineProxy

/// Heads beyond our limits, and streams beside one that has stopped.
@Suite("Clients that speak HTTP/2: limits") struct HTTP2ClientLimitsTests {
  @Test(
    "RFC 6585 5: a request beyond --max-header-size is answered 431, and the connection goes on",
    arguments: ["GET", "HEAD", "POST"])
  func headerSize(method: String) throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
    let proxy = try ProxyHarness.speakingHTTP2 { $0.limits = HTTPLimits(headerBlock: 4096) }
    let client = try proxy.http2()
    let big = ("x", String(repeating: "x", count: 5000))
    let stream = try client.open(origin.request("/", method: method, [big]), hasContent: method == "POST")
    let response = try client.response(to: stream)
    #expect(response.status == 431 && response.ended)
    #expect(response.bodyText.contains("--max-header-size") == (method != "HEAD"))
    #expect(client.settings?.maxHeaderListSize == 4096)
    if method == "POST" {
      try client.wait { $0.responses[stream]?.reset != nil }
      #expect(client.responses[stream]?.reset == .noError, "the rest of the request is not wanted")
    }
    #expect(try client.response(to: try client.open(origin.request())).bodyText == "ok")
    let record = try #require(try proxy.records(2).first)
    #expect(record.localStatus == 431 && record.failure?.option == "--max-header-size")
    #expect(record.http2?.clientStream == stream && record.request == nil)
    #expect(origin.requests.count == 1)
  }

  /// Content that is more than all windows and buffers on the way together; the head announces 1 GiB.
  private static let stopped = [UInt8](repeating: 7, count: 8 << 20)
  /// A window on each leg, what waits in between, and the kernel's buffers do not count: frames leave only within windows.
  private static let held = 1 << 20

  /// Answers each request with its path, but stops at `/stopped`.
  private func origin(_ note: @escaping @Sendable (_ sent: Int) -> Void) throws -> ScriptedOrigin {
    try HTTP2Origin.start(nil) { peer, _ in
      var download: HTTP2StreamID?
      while true {
        let stream = try peer.nextRequest()
        let path = String(decoding: peer.requests[stream]?.path ?? [], as: UTF8.self)
        if path == "/upload" {
          peer.stopped.insert(stream)
        } else if path == "/download" {
          download = stream
          try peer.sendHead(stream, 200, [("content-length", "\(1 << 30)")])
          try peer.send(Self.stopped, on: stream)
        } else {
          if let download { note(Self.stopped.count - peer.waitingBytes(on: download)) }
          try peer.respond(stream, body: path)
        }
      }
    }
  }

  private func askNeighbours(_ client: HTTP2Client, of origin: ScriptedOrigin) throws {
    let streams = try (1...99).map { try client.open(origin.request("/\($0)")) }
    for (index, stream) in streams.enumerated() {
      let response = try client.response(to: stream)
      #expect(response.bodyText == "/\(index + 1)" && response.ended)
    }
  }

  @Test("A client that stops reading 1 GiB on one stream is answered on 99 others, and little of it is held")
  func stoppedDownload() throws {
    let sent = Mutex<[Int]>([])
    let origin = try origin { count in sent.withLock { $0.append(count) } }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    let stream = try client.open(origin.request("/download"))
    client.stopped.insert(stream)
    try client.wait { $0.unconsumed(on: stream) > 0 }
    try askNeighbours(client, of: origin)
    #expect(sent.withLock { $0.count } == 99 && sent.withLock { $0.allSatisfy { $0 <= Self.held } })
    #expect(client.responses[stream]?.isOver == false)
    try client.reset(stream)
    #expect(try proxy.records(100).count == 100)
  }

  @Test("A client whose upload of 1 GiB is not taken on one stream is answered on 99 others, and little of it is held")
  func stoppedUpload() throws {
    let origin = try origin { _ in }
    let proxy = try ProxyHarness.interceptingHTTP2()
    let client = HTTP2Client(over: try proxy.tunnel(to: origin))
    let stream = try client.open(origin.request("/upload", method: "POST", [("content-length", "\(1 << 30)")]), hasContent: true)
    try client.send(Self.stopped, on: stream)
    try askNeighbours(client, of: origin)
    #expect(Self.stopped.count - client.waitingBytes(on: stream) <= Self.held)
    #expect(client.responses[stream]?.isOver == false)
    try client.reset(stream)
    #expect(try proxy.records(100).count == 100)
  }
}
