import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct URLRequestTests {
  @Test("A request is made from URL, method and headers")
  func parts() throws {
    let request = try URLRequest(url: "http://a.example/", method: .put, headers: ["X": "1"])
    #expect(request.url?.absoluteString == "http://a.example/")
    #expect(request.httpMethod == "PUT")
    #expect(request.headers == ["X": "1"])
    #expect(request.timeoutInterval == nil)
    #expect(request.cachePolicy == .useProtocolCachePolicy)
    #expect(throws: TapelineError.self) { try URLRequest(url: "http://bad host", method: .get) }
  }

  @Test func fieldsBySingleValues() throws {
    var request = URLRequest(url: try "http://a.example/".asURL())
    request.setValue("1", forHTTPHeaderField: "X")
    request.addValue("2", forHTTPHeaderField: "x")
    #expect(request.value(forHTTPHeaderField: "X") == "1")
    #expect(request.headers.values(for: "X") == ["1", "2"])
    #expect(request.allHTTPHeaderFields == ["X": "1, 2"])
    request.setValue(nil, forHTTPHeaderField: "X")
    #expect(request.headers.isEmpty)
    request.httpMethod = "pAtch"
    #expect(request.method == HTTPMethod(rawValue: "pAtch"))
    request.httpMethod = nil
    #expect(request.method == .get)
  }

  @Test func aReceivedRequestIsLosslessAndCanBeChanged() throws {
    let head = try RequestHead(
      method: .post, target: "http://a.example/%zz?q[1]=|", fields: ["alpha": "1", "Set-Thing": "2"])
    var request = URLRequest(head: head)
    #expect(request.description == "http://a.example/%zz?q[1]=|")
    #expect(request.headers.map(\.name) == ["alpha", "Set-Thing"])
    request.headers["alpha"] = nil
    request.url = try "http://b.example/".asURL()
    #expect(request.description == "http://b.example/")
    #expect(request.headers.map(\.name) == ["Set-Thing"])
  }

  @Test("The description is the URL, without credentials and fragment")
  func description() throws {
    #expect(try URLRequest(url: "http://u:secret@a.example/b#c", method: .get).description == "http://a.example/b")
    var request = try URLRequest(url: "http://a.example/", method: .get)
    request.url = nil
    #expect(request.description == "nil")
  }

  @Test func equality() throws {
    let request = try URLRequest(url: "http://a.example/", method: .get)
    var other = request
    #expect(request == other)
    #expect(request.hashValue == other.hashValue)
    other.target = "/x"
    #expect(request != other)
  }
}
