import Dispatch
import TapelineCore
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// The marks of exchanges in tunnels and over HTTP/2, while the loop is held up by another exchange.
@Suite struct SecureWireMarksTests {
  private let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
  private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  private let proxy: BusyProxy
  private let authorities: Authorities

  init() throws {
    proxy = try BusyProxy.intercepting()
    authorities = try Authorities.shared.get()
  }

  private func exchange(over client: SecureStream) throws {
    try client.send(request)
    #expect(try client.receive(through: "hello").hasPrefix("HTTP/1.1 200"))
  }

  @Test("A CONNECT, a client's hello and a request over TLS that wait to be read")
  func clientsSide() throws {
    for place in 0..<3 {
      let proxy = try BusyProxy.intercepting()
      let origin = try ScriptedOrigin([authorities.echo()])
      let raw = try proxy.connect()
      let connect = "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
      let client = try authorities.client(over: raw)
      var pause: BusyProxy.Pause?
      func stalled(if isHere: Bool, _ send: () throws -> Void) throws {
        guard isHere else { return try send() }
        pause = try proxy.whileBusy {
          try send()
          try waitForUnreadBytes(sentFrom: raw.localPort)
        }
      }
      try stalled(if: place == 0) { try raw.send(connect) }
      #expect(try raw.receiveHead().status == 200)
      try stalled(if: place == 1) { try client.sendHello() }
      try client.handshake()
      try stalled(if: place == 2) { try client.send(request) }
      _ = try client.receive(through: "GET / HTTP/1.1")
      let record = try proxy.record()
      let mark: TimelineMark = [.tunnelHeadEnd, .clientTLSStart, .requestHeadEnd][place]
      try proxy.expect(mark, of: record, within: #require(pause))
    }
  }

  @Test("A response over TLS that waits to be read")
  func response() throws {
    let isAsked = DispatchSemaphore(value: 0)
    let mayAnswer = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin([
      authorities.secure { [answer] stream in
        // One that lets tickets come before.
        try stream.receive(through: "\r\n\r\n")
        try stream.send(answer)
        try stream.receive(through: "\r\n\r\n")
        isAsked.signal()
        mayAnswer.wait()
        try stream.send(answer)
      },
      .expectEnd,
    ])
    let client = try authorities.client(over: try proxy.harness.tunnel(to: origin))
    try client.connect()
    try exchange(over: client)
    try client.send(request)
    #expect(isAsked.wait(timeout: .now() + 120) == .success)
    let pause = try proxy.whileBusy {
      mayAnswer.signal()
      try waitForUnreadBytes(answer.utf8.count, sentFrom: origin.port)
    }
    try client.receive(through: "hello")
    let record = try #require(try proxy.harness.records(3).filter { $0.request != nil }.last)
    try proxy.expect(.responseFirstByte, of: record, within: pause)
    try proxy.expect(.responseHeadEnd, of: record, within: pause)
    try proxy.expect(.responseLastByte, of: record, within: pause)
    try proxy.expectQueue(of: record)
    #expect(ExchangePhases(record.marks).receive < 20_000_000)
  }

  @Test("A request and a response of HTTP/2 that wait to be read")
  func multiplexed() throws {
    for place in 0..<2 {
      let proxy = try BusyProxy.intercepting()
      let isAsked = DispatchSemaphore(value: 0)
      let mayAnswer = DispatchSemaphore(value: 0)
      if place == 0 { mayAnswer.signal() }
      let origin = try authorities.http2Origin { peer, _ in
        // One that lets both sides settle their settings.
        try peer.respond(try peer.nextRequest(), body: "first")
        let stream = try peer.nextRequest()
        isAsked.signal()
        mayAnswer.wait()
        try peer.respond(stream)
        try peer.waitForEnd()
      }
      let raw = try proxy.harness.tunnel(to: origin)
      let stream = try authorities.client(over: raw, protocols: [.http2])
      try stream.connect()
      let client = HTTP2Client(over: stream)
      #expect(try client.response(to: client.open(origin.request("/first", scheme: "https"))).bodyText == "first")
      var pause: BusyProxy.Pause?
      if place == 0 {
        pause = try proxy.whileBusy {
          _ = try client.open(origin.request("/second", scheme: "https"))
          try waitForUnreadBytes(sentFrom: raw.localPort)
        }
      } else {
        _ = try client.open(origin.request("/second", scheme: "https"))
        #expect(isAsked.wait(timeout: .now() + 120) == .success)
        pause = try proxy.whileBusy {
          mayAnswer.signal()
          try waitForUnreadBytes(sentFrom: origin.port)
        }
      }
      try client.wait { $0.responses.values.filter(\.isOver).count == 2 }
      let record = try #require(try proxy.harness.records(3).filter { $0.request != nil }.last)
      let marks: [TimelineMark] = place == 0 ? [.requestFirstByte, .requestHeadEnd] : [.responseFirstByte, .responseLastByte]
      for mark in marks { try proxy.expect(mark, of: record, within: #require(pause)) }
      try proxy.expectQueue(of: record)
    }
  }
}
