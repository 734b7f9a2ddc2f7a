import Testing

@testable import TapelineHAR

@Suite("Operations that bodies ask for")
struct RequestedOperationTests {
  private static func names(_ body: String, type: String = "application/json") -> [String] {
    RequestedOperation.all(in: body.utf8.span, type: type).map(\.name)
  }

  private static func graphQL(_ document: String, rest: String = "") -> String {
    var writer = JSONWriter(capacity: document.utf8.count + 2)
    writer.append(string: document)
    return #"{"query":\#(String(decoding: writer.bytes, as: UTF8.self))\#(rest)}"#
  }

  @Test(
    "GraphQL: kind and name, from the document if the request does not name the operation",
    arguments: [
      ("query Products { a }", "query Products"), ("mutation Add($n: Int! = 1) @live { add(n: $n) { id } }", "mutation Add"),
      ("subscription\n  News\n{ news }", "subscription News"), ("{ me { id } }", "query { me }"),
      ("{ first: me { id } you: me, them(in: {a: [1]}) }", "query { me me them }"),
      ("query($in: I = {query: \"{ x }\"}) { find(in: $in) }", "query { find }"),
      ("# query No { }\nfragment F on T { id query }\nquery Yes { ...F }", "query Yes"),
      ("query Q { a(text: \"\"\"} mutation M { \"\"\") ... on T { b } }", "query Q"),
      ("{ ...F ... on T { a } ... @include(if: true) { b } c }", "query { c }"),
      ("query { a b c d e }", "query { a b c }"), ("query query { mutation }", "query query"),
      ("query Cut { a { b", "query Cut"), ("\u{FEFF}query Marked { a }", "query Marked"),
    ])
  func documents(document: String, name: String) {
    #expect(Self.names(Self.graphQL(document)) == [name])
    #expect(Self.names(document, type: "application/graphql; charset=utf-8") == [name])
  }

  @Test("GraphQL: of several operations the one that is asked for; persisted ones by name, else by hash")
  func asked() {
    let two = "query A { a } mutation B { b }"
    #expect(Self.names(Self.graphQL(two, rest: #","operationName":"B""#)) == ["mutation B"])
    #expect(Self.names(Self.graphQL(two, rest: #","operationName":null"#)) == ["query A"])
    #expect(Self.names(Self.graphQL("query A { a } { b }")) == ["query A"])
    let block = ##"{ a(x: """\\""" ) } mutation No { b """) }"##
    #expect(Self.names(Self.graphQL(block, rest: #","operationName":"No""#)) == ["query No"])
    let hash = #""extensions":{"persistedQuery":{"version":1,"sha256Hash":"0123456789abcdef0123456789abcdef"}}"#
    #expect(Self.names("{\(hash)}") == ["persisted 0123456789ab"])
    #expect(Self.names(#"{"operationName":"Me",\#(hash)}"#) == ["Me"])
    #expect(Self.names(#"{"documentId":"sha256:fedcba9876543210"}"#) == ["persisted fedcba987654"])
    #expect(
      RequestedOperation(document: nil, operationName: nil, extensions: String(hash.dropFirst(13)))?.name
        == "persisted 0123456789ab")
    #expect(RequestedOperation(document: "{ a }", operationName: "", extensions: nil)?.name == "query { a }")
  }

  @Test("JSON-RPC: the method, with the tool or prompt of MCP")
  func calls() {
    #expect(Self.names(#"{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"name":"x"}]}"#) == ["eth_call"])
    #expect(
      Self.names(#"{"params":{"arguments":{"name":"no"},"name":"search"},"method":"tools/call","id":1,"jsonrpc":"2.0"}"#)
        == ["tools/call search"])
    #expect(Self.names(#"{"jsonrpc":"2.0","method":"prompts/get","params":{"name":"plan"}}"#) == ["prompts/get plan"])
    #expect(Self.names(#"{"jsonrpc":"2.0","method":"other","params":{"name":"plan"}}"#) == ["other"])
    #expect(Self.names(#"[{"jsonrpc":"2.0","method":"a","id":1},7,{"jsonrpc":"2.0","method":"b"}]"#) == ["a", "b"])
  }

  @Test(
    "Other bodies ask for none",
    arguments: [
      "", "{", "[]", "7", #"{"query":"shoes"}"#, #"{"query":{"match_all":{}}}"#, #"{"method":"getOrders"}"#,
      #"{"jsonrpc":"1.0","method":"x"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"query":"type T { a: Int }"}"#,
      #"{"operationName":""}"#, "query A { a }", String(repeating: "[", count: 5_000),
    ])
  func others(body: String) { #expect(Self.names(body) == []) }
}
