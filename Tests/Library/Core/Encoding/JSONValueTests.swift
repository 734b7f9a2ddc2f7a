import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct JSONValueTests {
  @Test func valuesOfSwift() throws {
    #expect(try JSONValue(1) == .integer(1))
    #expect(try JSONValue(UInt8(255)) == .integer(255))
    #expect(try JSONValue(UInt64.max) == .number(Double(UInt64.max)))
    #expect(try JSONValue(true) == .bool(true))
    #expect(try JSONValue("x") == .string("x"))
    #expect(try JSONValue(Float(0.5)) == .number(0.5))
    #expect(try JSONValue(Optional<String>.none) == .null)
    #expect(try JSONValue(Optional(Optional(3))) == .integer(3))
    #expect(try JSONValue(["a": [nil, 1]] as [String: [Int?]]) == .object(["a": .array([.null, .integer(1)])]))
    #expect(try JSONValue(JSONValue.string("y")) == .string("y"))
  }

  @Test func subscripts() {
    let value = JSONValue.object(["a": .array([.integer(1), .null])])
    #expect(value["a"]?[0] == .integer(1))
    #expect(value["a"]?[2] == nil)
    #expect(value["b"] == nil)
    #expect(value[0] == nil)
    #expect(JSONValue.null["a"] == nil)
  }

  @Test func backToValuesOfSwift() throws {
    let value = JSONValue.object(["a": .array([.integer(1), .number(1.5), .bool(true), .null]), "b": .string("x")])
    let members = try #require(value.sendableValue as? [String: any Sendable])
    let elements = try #require(members["a"] as? [any Sendable])
    #expect(elements[0] as? Int == 1)
    #expect(elements[1] as? Double == 1.5)
    #expect(elements[2] as? Bool == true)
    #expect(elements[3] as? JSONValue == .null)
    #expect(members["b"] as? String == "x")
    #expect(try JSONValue(value.sendableValue) == value)
  }

  @Test func coding() throws {
    let text = #"{"a":[1,-2.5,1e3,9223372036854775807,9223372036854775808,true,false,null,"x",{}],"b":{"c":[]}}"#
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(
      value["a"]
        == .array([
          .integer(1), .number(-2.5), .integer(1_000), .integer(.max), .number(9_223_372_036_854_775_808), .bool(true),
          .bool(false), .null, .string("x"), .object([:]),
        ]))
    #expect(value["b"]?["c"] == .array([]))
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONValue.self, from: Data("[1,]x".utf8)) }
  }
}
