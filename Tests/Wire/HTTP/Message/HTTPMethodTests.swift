import Testing

@testable import TapelineHTTP

@Suite struct HTTPMethodTests {
  @Test func idempotentMethodsAreThoseOfTheStandard() {
    for method in [HTTPMethod.get, .head, .put, .delete, .options, .trace] {
      #expect(method.isIdempotent)
    }
    for method in [HTTPMethod.post, .patch, .connect, HTTPMethod(rawValue: "PROPFIND")] {
      #expect(!method.isIdempotent)
    }
  }

  @Test func methodsAreCaseSensitive() throws {
    let head = try requestHead("get / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(head.method != .get)
    #expect(head.method.rawValue == "get")
  }

  @Test func everyByteIsATokenByteOrRefused() {
    let token = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    for byte in UInt8.min...UInt8.max {
      // Inside the method, so that no byte is at the very start, where an empty line may be.
      let refused = refusal(ofRequest: Array("G".utf8) + [byte] + Array("T / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      if token.contains(byte) {
        #expect(refused == nil, "byte \(byte)")
      } else {
        #expect(refused != nil, "byte \(byte)")
      }
    }
  }
}
