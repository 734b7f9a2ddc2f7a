import Testing

@testable import TapelineHTTP

@Suite struct MessageCompressionTests {
  private func parsed(_ value: String) -> MessageCompression? {
    MessageCompression(of: ["Sec-WebSocket-Extensions": value])
  }

  @Test(arguments: [
    ("permessage-deflate", false, false), ("x, permessage-deflate; server_no_context_takeover", false, true),
    ("permessage-deflate; client_no_context_takeover; server_max_window_bits=10", true, false),
  ])
  func parameters(value: String, client: Bool, server: Bool) throws {
    let compression = try #require(parsed(value))
    #expect(compression.clientForgets == client)
    #expect(compression.serverForgets == server)
  }

  @Test func noCompression() {
    #expect(MessageCompression(of: [:]) == nil)
    #expect(parsed("bbf-usp-protocol") == nil)
  }

  @Test(
    "What a client may accept of a server",
    arguments: [
      ("permessage-deflate", true), ("permessage-deflate; client_max_window_bits=9", true),
      ("permessage-deflate; client_max_window_bits=\"10\"; server_no_context_takeover", true),
      ("permessage-deflate; client_max_window_bits", false), ("permessage-deflate; server_max_window_bits=16", false),
      ("permessage-deflate; server_max_window_bits=7", false), ("permessage-deflate; unheard_of", false),
      ("permessage-deflate; client_no_context_takeover=1", false),
      ("permessage-deflate; client_no_context_takeover; client_no_context_takeover", false), ("x, permessage-deflate", false),
      ("permessage-deflate, permessage-deflate", false),
    ])
  func acceptable(value: String, isAcceptable: Bool) throws {
    #expect(try #require(parsed(value)).isAcceptable == isAcceptable)
  }

  @Test func windows() throws {
    #expect(try #require(parsed("permessage-deflate; client_max_window_bits=8")).clientWindowBits == 8)
    #expect(try #require(parsed("permessage-deflate")).clientWindowBits == 15)
  }
}
