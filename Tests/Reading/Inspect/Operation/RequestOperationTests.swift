import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Operations of requests")
struct RequestOperationTests {
  private static func entry(
    _ url: String = "https://api.test/x", method: String = "POST", type: String = "application/json", body: String? = nil,
    fields: [HARHeader] = []
  ) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.request.method = method
    entry.request.url = url
    entry.request.headers += fields
    entry.request.postData = body.map { HARPostData(mimeType: type, text: $0) }
    return entry
  }

  /// The name, which is the same for a table, which asks for neither headers nor bodies.
  private static func name(_ entry: HAREntry) throws -> String? {
    let name = RequestOperation(entry)?.name
    let read = try HAREntry(json: entry.json.span, parts: .overview)
    #expect(RequestOperation(read)?.nameBesideURL == RequestOperation(entry)?.nameBesideURL)
    return name
  }

  @Test("gRPC and Connect: service and method; the URL has them")
  func calls() throws {
    var call = Self.entry("https://api.test/shop.Cart/Add")
    call.custom["_grpc"] = ["status": 0]
    #expect(try Self.name(call) == "shop.Cart/Add")
    #expect(RequestOperation(call)?.nameBesideURL == nil)
    let web = Self.entry("https://api.test/api/shop.Cart/Add", type: "application/grpc-web+proto", body: "x")
    #expect(RequestOperation(web)?.name == "shop.Cart/Add")
    let connect = Self.entry("https://api.test/shop.Cart/Add", fields: [HARHeader(name: "Connect-Protocol-Version", value: "1")])
    #expect(RequestOperation(connect)?.name == "shop.Cart/Add")
    let get = Self.entry("https://api.test/shop.Cart/Get?connect=v1&encoding=json&message=%7B%7D", method: "GET")
    #expect(RequestOperation(get)?.name == "shop.Cart/Get")
    #expect(RequestOperation(Self.entry("https://api.test/shop.Cart/Add")) == nil)
  }

  @Test("SOAP and AWS: by their fields")
  func fields() throws {
    #expect(try Self.name(Self.entry(fields: [HARHeader(name: "SOAPAction", value: "\"urn:Find\"")])) == "urn:Find")
    #expect(try Self.name(Self.entry(fields: [HARHeader(name: "soapaction", value: "\"\"")])) == nil)
    let soap = "application/soap+xml; charset=utf-8; action=\"urn:Find\""
    #expect(RequestOperation(Self.entry(type: soap, body: "<a/>"))?.name == "urn:Find")
    let target = HARHeader(name: "X-Amz-Target", value: "DynamoDB_20120810.GetItem")
    #expect(try Self.name(Self.entry(type: "application/x-amz-json-1.0", body: "{}", fields: [target])) == target.value)
  }

  @Test("GraphQL in the query of a URL, and batches")
  func graphQL() throws {
    let get = Self.entry("https://a.test/graphql?query=query+Me%7Bme%7D&variables=%7B%7D#top", method: "GET")
    #expect(try Self.name(get) == "query Me")
    let hash = "%7B%22persistedQuery%22%3A%7B%22sha256Hash%22%3A%22abcdefabcdefabcdef%22%7D%7D"
    #expect(try Self.name(Self.entry("https://a.test/g?extensions=\(hash)", method: "GET")) == "persisted abcdefabcdef")
    #expect(try Self.name(Self.entry("https://a.test/search?query=shoes", method: "GET")) == nil)
    #expect(try Self.name(Self.entry(body: #"{"documentId":"sha256:abcdefabcdefabcdef"}"#)) == "persisted abcdefabcdef")
    let one = #"{"query":"query A { a }"}"#
    #expect(try Self.name(Self.entry(body: "[\(one),{\"query\":\"mutation B { b }\"},\(one)]")) == "query A ×2, mutation B")
  }

  @Test("A row of a table names it beside its URL")
  func place() {
    let entry = Self.entry("https://a.test/graphql", body: #"{"query":"query Products { a }"}"#)
    #expect(RequestPlace(entry).text(under: "https://a.test", width: 40) == "/graphql query Products")
  }
}
