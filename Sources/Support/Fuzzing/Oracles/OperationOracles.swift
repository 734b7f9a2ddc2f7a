internal import TapelineBase
internal import TapelineHAR
internal import TapelineInspect

/// Messages of Protocol Buffers, and descriptors: a beginning has the fields that end in it, and what is shown is JSON.
enum ProtobufOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let cut = SeededGenerator.cut(of: input)
    let (whole, beginning) = (fields(of: input[...]), fields(of: input[..<cut]))
    let isSame = beginning.elementsEqual(whole.prefix { $0.end <= cut }) { $0 == $1 }
    try OracleViolation.require(isSame && whole.count * 2 <= input.count, "cut at \(cut), it has the same fields")
    let size = try show(input[...], nil, as: "")
    try OracleViolation.require(size <= 32 * input.count + 64, "what is shown is in proportion to the message: \(size) bytes")
    // The descriptors of the seeds name this message.
    for schema in [ProtobufSchema(input), ProtobufSchema(Array(input[..<cut]))] where schema != nil {
      for message in [input[...], input[cut...]] { _ = try show(message, schema, as: "lamps.Lamp") }
    }
  }

  private static func fields(of bytes: ArraySlice<UInt8>) -> [(number: UInt64, value: ProtobufReader.Value, end: Int)] {
    var reader = ProtobufReader(bytes)
    var fields: [(number: UInt64, value: ProtobufReader.Value, end: Int)] = []
    while let (number, value) = reader.next() { fields.append((number, value, reader.rest.startIndex)) }
    return fields
  }

  /// Returns the size of what is shown.
  private static func show(
    _ bytes: ArraySlice<UInt8>, _ schema: ProtobufSchema?, as type: String
  ) throws(OracleViolation) -> Int {
    let value = ProtobufMessage(schema).value(of: bytes, as: type)
    try OracleViolation.requireEqual(try? HARValue(json: value.json.span), value, "what is shown is JSON")
    return value.json.count
  }
}

/// Documents of GraphQL, and streams of results: what means nothing changes no operation, and line ends change no error.
enum DocumentOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let document = String(validOrLatin1: input)
    let found = RequestedOperation.all(in: document.utf8.span, type: "application/graphql")
    let padded = "# } mutation No {\n,\u{FEFF}\t" + document
    let again = RequestedOperation.all(in: padded.utf8.span, type: "application/graphql")
    try OracleViolation.requireEqual(again, found, "comments, commas and blanks mean nothing")
    let body = HARValue.object(["query": .string(document)]).json
    let asked = RequestedOperation.all(in: body.span, type: "application/json")
    try OracleViolation.requireEqual(asked, found, "in JSON it is the same operation")
    let isNamed = found.compactMap(\.subject).allSatisfy { document.utf8.firstRange(of: $0.utf8) != nil }
    try OracleViolation.require(found.count <= 1 && isNamed, "a document is one operation, whose name it has: \(found)")
    let batch = RequestedOperation.all(in: input.span, type: "application/json")
    try OracleViolation.require(batch.count <= input.count, "there are no more operations than bytes")
    guard let first = input.first, "deir:".utf8.contains(first), !input.contains(UInt8(ascii: "\r")) else { return }
    let lines = input.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
    try OracleViolation.requireEqual(error(lines), error(input), "a line ends with CRLF as with LF")
  }

  private static func error(_ stream: [UInt8]) -> OperationError? {
    OperationError(stream.span, type: "text/event-stream", url: "", isAskedFor: true)
  }
}
