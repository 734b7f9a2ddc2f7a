import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct URLEncodedFormEncoderOptionsTests {
  private func text(_ value: any Encodable, by encoder: URLEncodedFormEncoder) throws -> String {
    try encoder.encode(value)
  }

  @Test("Arrays follow the array encoding")
  func arrays() throws {
    let value = ["a": [1, 2]]
    #expect(try text(value, by: URLEncodedFormEncoder(arrayEncoding: .noBrackets)) == "a=1&a=2")
    #expect(try text(value, by: URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)) == "a%5B0%5D=1&a%5B1%5D=2")
    let ten = ["a": Array(0..<12)]
    #expect(
      try text(ten, by: URLEncodedFormEncoder(arrayEncoding: .noBrackets)) == (0..<12).map { "a=\($0)" }.joined(separator: "&"))
  }

  @Test("Booleans follow the Boolean encoding")
  func booleans() throws {
    #expect(try text(["a": true, "b": false], by: URLEncodedFormEncoder(boolEncoding: .literal)) == "a=true&b=false")
    #expect(try text(["a": [true]], by: URLEncodedFormEncoder(arrayEncoding: .noBrackets)) == "a=1")
  }

  @Test("Data follows the data encoding")
  func data() throws {
    let value = ["a": Data([1, 255])]
    #expect(try text(value, by: URLEncodedFormEncoder()) == "a=Af8%3D")
    #expect(try text(value, by: URLEncodedFormEncoder(arrayEncoding: .noBrackets, dataEncoding: .deferredToData)) == "a=1&a=255")
    #expect(try text(value, by: URLEncodedFormEncoder(dataEncoding: .custom { "\($0.count)" })) == "a=2")
  }

  @Test("Dates follow the date encoding")
  func dates() throws {
    let value = ["a": Date(timeIntervalSinceReferenceDate: 0.5)]
    #expect(try text(value, by: URLEncodedFormEncoder()) == "a=0.5")
    #expect(try text(value, by: URLEncodedFormEncoder(dateEncoding: .secondsSince1970)) == "a=978307200.5")
    #expect(try text(value, by: URLEncodedFormEncoder(dateEncoding: .millisecondsSince1970)) == "a=978307200500.0")
    #expect(try text(value, by: URLEncodedFormEncoder(dateEncoding: .iso8601)) == "a=2001-01-01T00%3A00%3A00Z")
    #expect(try text(value, by: URLEncodedFormEncoder(dateEncoding: .custom { _ in "then" })) == "a=then")
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try text(value, by: URLEncodedFormEncoder(dateEncoding: .custom { _ in throw Refusal() })) }
  }

  @Test(
    "Keys follow the key encoding",
    arguments: [
      ("oneTwoThree", "one_two_three", "one-two-three", "OneTwoThree"),
      ("myURLProperty", "my_url_property", "my-url-property", "MyURLProperty"),
      ("URL", "url", "url", "URL"), ("a", "a", "a", "A"), ("version2Name", "version2_name", "version2-name", "Version2Name"),
      ("", "", "", ""),
    ])
  func keys(key: String, snake: String, kebab: String, capitalized: String) {
    typealias Encoding = URLEncodedFormEncoder.KeyEncoding
    #expect(Encoding.convertToSnakeCase.encode(key) == snake)
    #expect(Encoding.convertToKebabCase.encode(key) == kebab)
    #expect(Encoding.capitalized.encode(key) == capitalized)
    #expect(Encoding.uppercased.encode(key) == key.uppercased())
    #expect(Encoding.lowercased.encode(key) == key.lowercased())
    #expect(Encoding.useDefaultKeys.encode(key) == key)
    #expect(Encoding.custom { $0 + "!" }.encode(key) == key + "!")
  }

  @Test("Nested keys follow the key path encoding")
  func keyPaths() throws {
    let value = ["oneTwo": ["threeFour": 1]]
    let encoder = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase, keyPathEncoding: .dots)
    #expect(try text(value, by: encoder) == "one_two.three_four=1")
    #expect(try text(value, by: URLEncodedFormEncoder(keyPathEncoding: .init { "->\($0)" })) == "oneTwo-%3EthreeFour=1")
  }

  @Test("Spaces follow the space encoding")
  func spaces() throws {
    #expect(try text(["a b": " c+d "], by: URLEncodedFormEncoder()) == "a%20b=%20c%2Bd%20")
    #expect(try text(["a b": " c+d "], by: URLEncodedFormEncoder(spaceEncoding: .plusReplaced)) == "a+b=+c%2Bd+")
  }

  @Test("Characters outside the allowed set are percent-encoded")
  func allowedCharacters() throws {
    #expect(try text(["a": "b/c?:"], by: URLEncodedFormEncoder(allowedCharacters: .unreserved)) == "a=b%2Fc%3F%3A")
    #expect(
      try text(["a": "b/c?:"], by: URLEncodedFormEncoder(allowedCharacters: AllowedCharacters("abc:")))
        == "a=bc%2F%3F:".replacing("bc%2F", with: "b%2Fc"))
  }
}
