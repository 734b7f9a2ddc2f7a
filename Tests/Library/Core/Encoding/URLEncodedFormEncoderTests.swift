import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct URLEncodedFormEncoderTests {
  private struct Inner: Encodable {
    var name = "n"
    var tags = ["x", "y"]
  }

  private struct Outer: Encodable {
    var text = "a b"
    var number = 1
    var fraction = 1.5
    var flag = true
    var inner = Inner()
    var list = [Inner()]
  }

  private func text(_ value: any Encodable, by encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()) throws -> String {
    try encoder.encode(value)
  }

  @Test("Nested members and arrays become keys with brackets, sorted")
  func nesting() throws {
    #expect(
      try text(Outer()).replacing("%5B", with: "[").replacing("%5D", with: "]")
        == "flag=1&fraction=1.5&inner[name]=n&inner[tags][]=x&inner[tags][]=y&list[][name]=n&list[][tags][]=x&list[][tags][]=y"
        + "&number=1&text=a%20b")
  }

  @Test("Unsorted pairs keep the order in which the value encodes them")
  func unsorted() throws {
    struct Value: Encodable {
      let b = 1
      let a = 2
    }
    #expect(try text(Value(), by: URLEncodedFormEncoder(alphabetizeKeyValuePairs: false)) == "b=1&a=2")
    #expect(try text(Value()) == "a=2&b=1")
  }

  @Test("A value that is not an object is refused", arguments: ["single", "array", "nil"])
  func roots(kind: String) {
    let value: any Encodable = kind == "single" ? 1 : kind == "array" ? [1] : Optional<Int>.none
    #expect(throws: URLEncodedFormEncoder.Error.self) { try text(value) }
  }

  @Test func emptyObjectsAreEmpty() throws {
    struct Nothing: Encodable {}
    #expect(try text(Nothing()).isEmpty)
    #expect(try text([String: Int]()).isEmpty)
    #expect(try URLEncodedFormEncoder().encode(["a": 1]) as Data == Data("a=1".utf8))
  }

  @Test("Optional members are encoded by the nil encoding, whether synthesized or asked for")
  func optionals() throws {
    struct Value: Encodable {
      var a: Int?
      var b: String? = "x"
      var c: Bool?
      var d: Inner?
      var e: Double? = 0.5
      var f: Bool? = true
      var g: Date?
    }
    #expect(try text(Value()) == "b=x&e=0.5&f=1")
    #expect(try text(Value(), by: URLEncodedFormEncoder(nilEncoding: .dropValue)) == "a=&b=x&c=&d=&e=0.5&f=1&g=")
    #expect(try text(Value(), by: URLEncodedFormEncoder(nilEncoding: .null)) == "a=null&b=x&c=null&d=null&e=0.5&f=1&g=null")
    #expect(try text(Value(), by: URLEncodedFormEncoder(nilEncoding: NilEncoding { "-" })).hasPrefix("a=-&b=x"))
    #expect(
      try text(["k": [1, nil]] as [String: [Int?]], by: URLEncodedFormEncoder(nilEncoding: .null)) == "k%5B%5D=1&k%5B%5D=null")
  }

  @Test("encodeIfPresent encodes every integer type")
  func optionalIntegers() throws {
    struct Value: Encodable {
      var a: Int8? = 1
      var b: Int16? = 2
      var c: Int32? = 3
      var d: Int64? = 4
      var e: UInt? = 5
      var f: UInt8? = 6
      var g: UInt16? = 7
      var h: UInt32? = 8
      var i: UInt64? = 9
      var j: Float? = 0.5
    }
    #expect(try text(Value()) == "a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=0.5")
  }

  @Test func everyScalar() throws {
    struct Value: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        var list = container.nestedUnkeyedContainer(forKey: FormKey(stringValue: "k"))
        try list.encode(Int8(-1))
        try list.encode(Int16(-2))
        try list.encode(Int32(-3))
        try list.encode(Int64(-4))
        try list.encode(UInt8(1))
        try list.encode(UInt16(2))
        try list.encode(UInt32(3))
        try list.encode(UInt64(4))
        try list.encode(Float(0.25))
        try list.encode(true)
        try list.encodeNil()
        #expect(list.count == 11)
        var nested = list.nestedContainer(keyedBy: FormKey.self)
        try nested.encode("x", forKey: FormKey(intValue: 7))
        var inner = list.nestedUnkeyedContainer()
        try inner.encode("y")
        #expect(list.count == 13)
      }
    }
    let encoder = URLEncodedFormEncoder(arrayEncoding: .custom { "\($0).\($1)" }, keyPathEncoding: .dots)
    #expect(
      try text(Value(), by: encoder)
        == "k.0=-1&k.11.7=x&k.12.0=y&k.1=-2&k.2=-3&k.3=-4&k.4=1&k.5=2&k.6=3&k.7=4&k.8=0.25&k.9=1")
  }

  @Test func inheritance() throws {
    class Base: Encodable {
      var a = 1
    }
    final class Derived: Base {
      private enum CodingKeys: String, CodingKey { case b, parent }

      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(2, forKey: .b)
        try super.encode(to: container.superEncoder())
        try super.encode(to: container.superEncoder(forKey: .parent))
      }
    }
    #expect(try text(Derived(), by: URLEncodedFormEncoder(keyPathEncoding: .dots)) == "a=1&b=2&parent.a=1")
  }

  @Test func theBaseOfAListStandsInPlaceOfTheList() throws {
    struct Value: Encodable {
      private enum CodingKeys: String, CodingKey { case a, b, k }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var object = container.superEncoder(forKey: .k).container(keyedBy: CodingKeys.self)
        try object.encode(1, forKey: .a)
        var list = container.nestedUnkeyedContainer(forKey: .k)
        var base = list.superEncoder().container(keyedBy: CodingKeys.self)
        try base.encode(2, forKey: .b)
      }
    }
    #expect(try text(Value(), by: URLEncodedFormEncoder(keyPathEncoding: .dots)) == "k.a=1&k.b=2")
  }

  @Test func pairsAreSortedAsTheyAreWritten() throws {
    #expect(try text(["page": "1", "page2": "2", "page-3": "3", "pages": "4"]) == "page-3=3&page2=2&page=1&pages=4")
  }

  @Test func aContainerAskedForTwiceIsOne() throws {
    struct Value: Encodable {
      private enum CodingKeys: String, CodingKey { case a, b }

      func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: CodingKeys.self)
        try first.encode(1, forKey: .a)
        var second = encoder.container(keyedBy: CodingKeys.self)
        try second.encode(2, forKey: .b)
        try second.encode(3, forKey: .a)
      }
    }
    #expect(try text(Value()) == "a=3&b=2")
  }

  @Test func enumerationsAndURLs() throws {
    enum Color: String, Encodable { case red }
    struct Value: Encodable {
      let color = Color.red
      let url = URL(filePath: "/x")
      let decimal: Decimal = 1.25
    }
    #expect(try text(Value()) == "color=red&decimal=1.25&url=file%3A///x")
  }
}
