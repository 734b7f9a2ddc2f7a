import FoundationEssentials
import TapelineCore
import Testing

@Suite struct URLEncodingTests {
  private func url(_ parameters: Parameters?, to url: String = "http://a.example/", by encoding: URLEncoding = .default) throws
    -> String?
  {
    try encoding.encode(URLRequest(url: url, method: .get), with: parameters).url?.absoluteString
  }

  private func query(_ parameters: Parameters, by encoding: URLEncoding = .default) throws -> String {
    let request = try encoding.encode(URLRequest(url: "http://a.example/", method: .post), with: parameters)
    return String(decoding: try #require(request.httpBody), as: UTF8.self)
  }

  @Test("Without parameters, the request stays unchanged")
  func noParameters() throws {
    let request = try URLRequest(url: "http://a.example/?a", method: .get)
    #expect(try URLEncoding.default.encode(request, with: nil) == request)
    #expect(try URLEncoding.httpBody.encode(request, with: nil) == request)
  }

  @Test(
    "An existing query is kept as it is written, joined by &",
    arguments: [
      ("http://a.example/", "http://a.example/?b=1"), ("http://a.example", "http://a.example?b=1"),
      ("http://a.example/?a=%7E&%61", "http://a.example/?a=%7E&%61&b=1"), ("http://a.example/?", "http://a.example/?b=1"),
      ("http://a.example/?a#part", "http://a.example/?a&b=1#part"), ("http://a.example/#part", "http://a.example/?b=1#part"),
      ("http://a.example/#part?no", "http://a.example/?b=1#part?no"),
    ])
  func existingQuery(before: String, after: String) throws {
    #expect(try url(["b": 1], to: before) == after)
  }

  @Test("An empty dictionary leaves the URL alone")
  func emptyDictionary() throws {
    #expect(try url([:], to: "http://a.example/?a#b") == "http://a.example/?a#b")
  }

  @Test("A request without a URL takes no query")
  func missingURL() throws {
    var request = try URLRequest(url: "http://a.example/", method: .get)
    request.url = nil
    let error = #expect(throws: TapelineError.self) { try URLEncoding.default.encode(request, with: ["a": 1]) }
    guard case .parameterEncodingFailed(.missingURL) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("The body gets the query as UTF-8, and a content type if there is none")
  func body() throws {
    let request = try URLRequest(url: "http://a.example/?kept", method: .post)
    let encoded = try URLEncoding.default.encode(request, with: ["b": "ä", "a": true])
    #expect(encoded.httpBody == Data("a=1&b=%C3%A4".utf8))
    #expect(encoded.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    #expect(encoded.url?.absoluteString == "http://a.example/?kept")
    var typed = request
    typed.headers["content-type"] = "x/y"
    #expect(try URLEncoding.default.encode(typed, with: ["a": 1]).headers.values(for: "Content-Type") == ["x/y"])
  }

  @Test(
    "Destination and method decide where the query goes",
    arguments: [
      (HTTPMethod.get, true), (.head, true), (.delete, true), (.post, false), (.put, false), (.patch, false), (.options, false),
      (.trace, false), (.connect, false), (HTTPMethod(rawValue: "get"), false),
    ])
  func destinations(method: HTTPMethod, isInURL: Bool) throws {
    let request = try URLRequest(url: "http://a.example/", method: method)
    func goesIntoURL(_ encoding: URLEncoding) throws -> Bool {
      let encoded = try encoding.encode(request, with: ["a": 1])
      #expect((encoded.httpBody == nil) == (encoded.description == "http://a.example/?a=1"))
      return encoded.httpBody == nil
    }
    #expect(try goesIntoURL(.default) == isInURL)
    #expect(try goesIntoURL(.queryString))
    #expect(try !goesIntoURL(.httpBody))
  }

  @Test("Parameters are a dictionary by name, of anything that can be sent")
  func parameters() throws {
    let parameters: Parameters = ["text": "x", "number": 1, "nested": ["flag": true, "list": [1.5]] as [String: any Sendable]]
    #expect(
      try query(parameters, by: URLEncoding(arrayEncoding: .noBrackets))
        == "nested%5Bflag%5D=1&nested%5Blist%5D=1.5&number=1&text=x")
  }

  @Test("Keys are sorted, so that equal parameters are equal text")
  func order() throws {
    #expect(try query(["b": 1, "a": 2, "C": 3]) == "C=3&a=2&b=1")
    #expect(try query(["o": ["y": 1, "x": 2]]) == "o%5Bx%5D=2&o%5By%5D=1")
  }

  @Test("Arrays follow the array encoding")
  func arrays() throws {
    let parameters: Parameters = ["a": ["x", "y"]]
    #expect(try query(parameters) == "a%5B%5D=x&a%5B%5D=y")
    #expect(try query(parameters, by: URLEncoding(arrayEncoding: .noBrackets)) == "a=x&a=y")
    #expect(try query(parameters, by: URLEncoding(arrayEncoding: .indexInBrackets)) == "a%5B0%5D=x&a%5B1%5D=y")
    #expect(try query(parameters, by: URLEncoding(arrayEncoding: .custom { "\($0).\($1)" })) == "a.0=x&a.1=y")
    #expect(try query(["a": [Int]()]).isEmpty)
    #expect(try query(["a": [["b": [1]]]]) == "a%5B%5D%5Bb%5D%5B%5D=1")
  }

  @Test("Booleans follow the Boolean encoding, and numbers are not Booleans")
  func booleans() throws {
    let parameters: Parameters = ["a": true, "b": false, "c": 1, "d": 0, "e": 1.5]
    #expect(try query(parameters) == "a=1&b=0&c=1&d=0&e=1.5")
    #expect(try query(parameters, by: URLEncoding(boolEncoding: .literal)) == "a=true&b=false&c=1&d=0&e=1.5")
  }

  @Test("Nil values follow the nil encoding")
  func nils() throws {
    let missing: Int? = nil
    let parameters: Parameters = ["a": missing, "b": Optional(2), "c": [1, nil]]
    #expect(try query(parameters) == "b=2&c%5B%5D=1")
    #expect(try query(parameters, by: URLEncoding(nilEncoding: .dropValue)) == "a=&b=2&c%5B%5D=1&c%5B%5D=")
    #expect(try query(parameters, by: URLEncoding(nilEncoding: .null)) == "a=null&b=2&c%5B%5D=1&c%5B%5D=null")
  }

  @Test("Percent-encoding keeps the unreserved characters, slash and question mark, and nothing else (RFC 3986)")
  func characters() throws {
    #expect(
      try query(["k": "aZ09-._~/?:#[]@!$&'()*+,;= %\"<>\\^`{|}"])
        == "k=aZ09-._~/?%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%20%25%22%3C%3E%5C%5E%60%7B%7C%7D")
    #expect(try query(["ü&=": "日本\u{1F600}"]) == "%C3%BC%26%3D=%E6%97%A5%E6%9C%AC%F0%9F%98%80")
    #expect(try query(["a": "b/c?"], by: URLEncoding(allowedCharacters: .unreserved)) == "a=b%2Fc%3F")
    #expect(try query(["a": "b:c"], by: URLEncoding(allowedCharacters: .urlQuery.adding(":"))) == "a=b:c")
  }

  @Test func aURLWithEncodedParametersIsNotEncodedAgain() throws {
    #expect(try url(["a b": "%"]) == "http://a.example/?a%20b=%25")
  }
}
