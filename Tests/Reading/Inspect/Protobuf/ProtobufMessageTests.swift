import TapelineBase
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Messages of Protocol Buffers")
struct ProtobufMessageTests {
  // A writer of its own, so that the reader is not tested by what the exporter writes.
  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  private static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

  private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private static func field(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  private static func descriptor(_ name: String, _ number: UInt64, _ type: UInt64, label: UInt64 = 1, of typeName: String = "")
    -> [UInt8]
  {
    field(2, field(1, name) + field(3, number) + field(4, label) + field(5, type) + (typeName.isEmpty ? [] : field(6, typeName)))
  }

  /// A file `lamps` with `Lamp { string name = 1; int32 on = 2; repeated sint64 watts = 3; Lamp next = 4; State state = 5; }`.
  private static let lamps: [UInt8] = field(
    1,
    field(2, "lamps")
      + field(
        4,
        field(1, "Lamp") + descriptor("name", 1, 9) + descriptor("on", 2, 5) + descriptor("watts", 3, 18, label: 3)
          + descriptor("next", 4, 11, of: ".lamps.Lamp") + descriptor("state", 5, 14, of: ".lamps.State"))
      + field(5, field(1, "State") + field(2, field(1, "OFF") + field(2, 0)) + field(2, field(1, "ON") + field(2, 1)))
      + field(6, field(1, "Lamps") + field(2, field(1, "Find") + field(2, ".lamps.Lamp") + field(3, ".lamps.Lamp")))
      + field(12, "proto3"))

  private static func text(_ bytes: [UInt8], _ schema: ProtobufSchema?, as type: String) -> String {
    String(decoding: ProtobufMessage(schema).value(of: bytes[...], as: type).json, as: UTF8.self)
  }

  @Test("By descriptors: names, enumerations, packed and unpacked numbers, merged messages, unknown fields")
  func known() throws {
    let schema = try #require(ProtobufSchema(Self.lamps))
    #expect(schema.methods["lamps.Lamps/Find"]?.request == "lamps.Lamp")
    let next = Self.field(4, Self.field(1, "b")) + Self.field(4, Self.field(2, 7))
    let bytes = Self.field(1, "a") + Self.field(3, Self.varint(3) + Self.varint(4)) + Self.field(3, 5) + next + Self.field(5, 1)
    #expect(
      Self.text(bytes, schema, as: "lamps.Lamp")
        == #"{"name":"a","watts":["-2","2","-3"],"next":{"name":"b","on":7},"state":"ON"}"#)
    #expect(Self.text(Self.field(2, 0) + Self.field(5, 9), schema, as: "lamps.Lamp") == #"{"state":9}"#)
    #expect(
      Self.text(Self.field(9, "x") + Self.field(9, 150) + Self.field(1, 1), schema, as: "lamps.Lamp")
        == #"{"[9]":["x","150 (sint 75)"],"[1]":"1 (sint -1)"}"#)
    #expect(ProtobufSchema(Array("no descriptors".utf8)) == nil && ProtobufSchema([]) == nil)
  }

  @Test("Without descriptors: each reading that fits, and what cannot be read")
  func raw() {
    #expect(Self.text(Self.field(1, 150) + Self.field(2, "testing"), nil, as: "") == #"{"[1]":"150 (sint 75)","[2]":"testing"}"#)
    #expect(Self.text(Self.field(1, .max), nil, as: "") == #"{"[1]":"18446744073709551615 (int -1, sint -9223372036854775808)"}"#)
    #expect(Self.text(Self.field(3, Self.field(1, 300)), nil, as: "") == #"{"[3]":{"[1]":"300 (sint 150)"}}"#)
    #expect(Self.text([0x0D, 0, 0, 0x80, 0x3F], nil, as: "") == #"{"[1]":"1065353216 (float 1.0)"}"#)
    #expect(Self.text([0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], nil, as: "") == #"{"[1]":"4607182418800017408 (double 1.0)"}"#)
    #expect(Self.text(Self.field(1, 1) + [0xFF], nil, as: "") == #"{"[1]":"1 (sint -1)","[unread]":"ff"}"#)
    #expect(Self.text(Self.field(1, [0xC3, 0x28]), nil, as: "") == #"{"[1]":"c3 28"}"#)
  }

  @Test("Any bytes are shown, and none is a trap", arguments: 0..<20)
  func fuzz(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schema = try #require(ProtobufSchema(Self.lamps))
    for round in 0..<200 {
      var bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Half of them are nearly descriptors, which are nearly messages.
      if round % 2 == 0 {
        bytes = Self.lamps
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      _ = ProtobufSchema(bytes)
      for type in ["", "lamps.Lamp", "none"] { #expect(Self.text(bytes, schema, as: type).first == "{") }
    }
  }

  @Test("Messages in messages without end take neither the stack nor the time")
  func deep() {
    var bytes = Self.field(1, 1)
    for _ in 0..<2_000 { bytes = Self.field(4, bytes) }
    #expect(Self.text(bytes, ProtobufSchema(Self.lamps), as: "lamps.Lamp").first == "{")
    #expect(Self.text(bytes, nil, as: "").first == "{")
    let many = [[UInt8]](repeating: Self.field(4, Self.field(2, 1)), count: 50_000).flatMap(\.self)
    #expect(Self.text(many, ProtobufSchema(Self.lamps), as: "lamps.Lamp") == #"{"next":{"on":1}}"#)
  }

  @Test("show names the messages of a call by its descriptors")
  func shown() throws {
    var entry = HAREntry.ordinary()
    entry.request.url = "https://api.test/lamps.Lamps/Find"
    entry.custom["_grpc"] = [
      "status": 0, "requestMessages": 1, "responseMessages": 1,
      "messages": [
        ["type": "send", "time": .number(HARNumber(1_767_323_045.7)), "size": 3, "compressed": false],
        ["type": "receive", "time": .number(HARNumber(1_767_323_045.8)), "size": 2, "compressed": false],
      ],
    ]
    func framed(_ bytes: [UInt8]) -> String { Base64.encode([0, 0, 0, 0, UInt8(bytes.count)] + bytes) }
    entry.request.postData = HARPostData(
      mimeType: "application/grpc", text: framed(Self.field(1, "a")), custom: ["_encoding": "base64"])
    entry.response.content = HARContent(
      size: 7, mimeType: "application/grpc", text: framed(Self.field(2, 1)), encoding: "base64")
    let palette = Palette(isColored: false, isUnicode: true)
    let lines = ProtobufText.lines(of: entry, schema: ProtobufSchema(Self.lamps), palette: palette, limit: 9)
    #expect(lines == ["→ lamps.Lamp", "{", #"  "name": "a""#, "}", "← lamps.Lamp", "{", #"  "on": 1"#, "}"])
    #expect(ProtobufText.lines(of: entry, schema: nil, palette: palette, limit: 9)[0] == "→ of an unknown type")
    entry.custom["_grpc"] = nil
    #expect(ProtobufText.lines(of: entry, schema: nil, palette: palette, limit: 9) == [])
    entry.request.postData?.mimeType = "application/x-protobuf; messageType=\"lamps.Lamp\""
    entry.request.postData?.text = Base64.encode(Self.field(1, "a"))
    entry.request.url = "https://api.test/x"
    #expect(ProtobufText.lines(of: entry, schema: ProtobufSchema(Self.lamps), palette: palette, limit: 9).first == "→ lamps.Lamp")
  }
}
