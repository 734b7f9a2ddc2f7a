import TapelineBase
import Testing

@testable import TapelineHTTP

@Suite("Trailers of gRPC-Web")
struct GRPCTrailersTests {
  private static func frame(_ flag: UInt8, _ text: String) -> [UInt8] {
    [flag, 0, 0, UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
  }

  private static func trailers(of bytes: [UInt8], by step: Int = 1) -> HeaderFields? {
    var observer = GRPCMessageObserver(.web)
    for start in stride(from: 0, to: bytes.count, by: step) {
      observer.receive(bytes.span.extracting(start..<min(start + step, bytes.count))) { _ in }
    }
    return observer.trailers
  }

  private static let content = frame(0, "reply") + frame(0x80, "grpc-status: 8\r\ngrpc-message:slow%20down\r\nx:\r\n")

  @Test("They are lines in the last frame, in pieces of any size", arguments: [1, 7, 1_000])
  func lines(step: Int) throws {
    let trailers = try #require(Self.trailers(of: Self.content, by: step))
    #expect(trailers.values(named: "grpc-status") == ["8"])
    #expect(trailers.values(named: "grpc-message") == ["slow%20down"])
    #expect(trailers.count == 3)
  }

  @Test("There are none without such a frame, in a part of it, in one that is compressed, and in one that is too long")
  func none() {
    #expect(Self.trailers(of: Self.frame(0, "reply")) == nil)
    #expect(Self.trailers(of: Array(Self.content.dropLast())) == nil)
    #expect(Self.trailers(of: Self.frame(0x81, "grpc-status: 8\r\n")) == nil)
    #expect(Self.trailers(of: Self.frame(0x80, String(repeating: "x: y\r\n", count: 2_000))) == nil)
    #expect(Self.trailers(of: Self.frame(0x80, ": 8\r\nnonsense"))?.count == 0)
  }
}
