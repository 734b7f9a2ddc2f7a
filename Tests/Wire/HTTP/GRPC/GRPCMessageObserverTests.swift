import Foundation
import TapelineHTTP
import Testing

@Suite("gRPC messages")
struct GRPCMessageObserverTests {
  private func frame(_ text: String, flag: UInt8 = 0) -> [UInt8] {
    let size = UInt32(text.utf8.count)
    return [flag] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(text.utf8)
  }

  private struct Seen: Equatable {
    var messages: [GRPCMessageObserver.Message] = []
    /// The piece with which each message ended.
    var pieces: [Int] = []
    var count: UInt64 = 0
    var failure: GRPCFramingError?
    var isInMessage = false

    var sizes: [UInt32] { messages.map(\.size) }
  }

  private func observe(_ pieces: [[UInt8]], _ format: GRPCFormat = .http2) -> Seen {
    var observer = GRPCMessageObserver(format)
    var seen = Seen()
    for (index, piece) in pieces.enumerated() {
      observer.receive(piece.span) {
        seen.messages.append($0)
        seen.pieces.append(index)
      }
    }
    (seen.count, seen.failure, seen.isInMessage) = (observer.messageCount, observer.failure, observer.isInMessage)
    return seen
  }

  @Test("Messages are found wherever they are split")
  func splits() {
    let bytes = frame("hello") + frame("") + frame("compressed", flag: 1)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let seen = observe([Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])])
        #expect(seen.sizes == [5, 0, 10])
        #expect(seen.messages.map(\.isCompressed) == [false, false, true])
        #expect(seen.count == 3)
        #expect(!seen.isInMessage)
      }
    }
    #expect(observe(bytes.map { [$0] }).sizes == [5, 0, 10])
  }

  @Test("gRPC-Web in base64, wherever it is split, with padding after each write of the sender")
  func text() {
    let trailers = "grpc-status: 5\r\ngrpc-message: no%20lamp\r\n"
    let writes = [frame("hello"), frame("ab"), frame(trailers, flag: 0x80)]
    let bytes = writes.flatMap { Array(Data($0).base64EncodedString().utf8) }
    #expect(bytes.contains(UInt8(ascii: "=")))
    for cut in 0...bytes.count {
      var observer = GRPCMessageObserver(.webText)
      var sizes: [UInt32] = []
      for piece in [bytes[..<cut], bytes[cut...]] { observer.receive(Array(piece).span) { sizes.append($0.size) } }
      #expect(sizes == [5, 2, UInt32(trailers.utf8.count)] && observer.messageCount == 2 && observer.failure == nil)
      #expect(observer.trailers?.values(named: "grpc-status") == ["5"])
    }
    #expect(observe([Array("AAAA*".utf8)], .webText).failure == .notBase64)
    #expect(observe([Array("*".utf8), bytes], .webText).messages.isEmpty, "nothing is observed after an error")
  }

  @Test("A message ends with the piece that has its last byte")
  func ends() {
    let bytes = frame("hello") + frame("")
    #expect(observe([Array(bytes[..<9]), Array(bytes[9..<10]), Array(bytes[10...])]).pieces == [1, 2])
  }

  @Test("A message of gigabytes is followed, not kept")
  func large() {
    let seen = observe([[0, 0x7F, 0xFF, 0xFF, 0xFF], Array(repeating: 0, count: 1 << 16)])
    #expect(seen.messages.isEmpty)
    #expect(seen.isInMessage)
    #expect(seen.failure == nil)
  }

  @Test(
    "Bytes that are not messages end the observation",
    arguments: [
      ([0x7B, 0x22, 0x61, 0x22, 0x3A], GRPCFramingError.unknownFlag(0x7B)), ([2, 0, 0, 0, 0], .unknownFlag(2)),
      ([0x80, 0, 0, 0, 0], .unknownFlag(0x80)), ([0, 0x80, 0, 0, 0], .invalidLength(1 << 31)),
    ])
  func nonsense(bytes: [UInt8], failure: GRPCFramingError) {
    let seen = observe([frame("before") + bytes + frame("after")])
    #expect(seen.sizes == [6])
    #expect(seen.failure == failure)
    #expect(!seen.isInMessage)
    #expect(
      observe([frame("before"), bytes, frame("after")])
        == Seen(
          messages: seen.messages, pieces: [0], count: 1, failure: failure, isInMessage: false))
  }

  @Test("The trailers of gRPC-Web are framed like a message, and are not counted as one")
  func webTrailers() {
    let seen = observe([frame("a") + frame("grpc-status:0\r\n", flag: 0x80)], .web)
    #expect(seen.messages.map(\.isTrailers) == [false, true])
    #expect(seen.count == 1)
    #expect(observe([frame("", flag: 0x82)], .web).failure == .unknownFlag(0x82))
  }

  @Test(
    "The content type says that it is a call",
    arguments: [
      ("application/grpc", GRPCFormat?.some(.http2)), ("Application/gRPC+proto", .http2), ("application/grpc; charset=x", .http2),
      ("application/grpc-web+proto", .web), ("application/grpc-web", .web), ("application/grpc-web-text", .webText),
      ("application/grpcish", nil), ("application/json", nil), ("application/grp", nil), ("", nil),
    ])
  func formats(type: String, format: GRPCFormat?) {
    #expect(GRPCFormat(of: ["Content-Type": type]) == format)
  }

  @Test("Without a content type it is not a call")
  func noType() {
    #expect(GRPCFormat(of: ["Accept": "application/grpc"]) == nil)
  }

  @Test(
    "A status has its name",
    arguments: [
      ("0", "OK"), ("16", "UNAUTHENTICATED"), ("17", nil), ("4294967295", nil), ("007", "PERMISSION_DENIED"),
    ])
  func statuses(value: String, name: String?) {
    let status = self.status(value)
    #expect(status != nil)
    #expect(status?.name == name)
  }

  @Test("A status is a number", arguments: ["", "-1", "OK", "1 ", "4294967296", "99999999999999999999"])
  func noStatus(value: String) {
    #expect(status(value) == nil)
  }

  private func status(_ value: String) -> GRPCStatus? {
    GRPCStatus(fieldValue: Array(value.utf8).span)
  }
}
