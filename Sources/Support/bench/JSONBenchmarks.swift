import TapelineHAR

/// Writing text, as for each recorded body.
enum JSONBenchmarks {
  static func all() -> [Benchmark] {
    [
      text("json.string.ascii", SampleMessages.body),
      text("json.string.escapes", Array(String(repeating: "{\"key\": \"a\\\\b\"}\n", count: 64).utf8)),
      text("json.string.unicode", Array(String(repeating: "Zażółć gęślą jaźń — 日本語 ", count: 24).utf8)),
    ]
  }

  private static func text(_ name: String, _ bytes: [UInt8]) -> Benchmark {
    Benchmark(name: name, bytes: bytes.count) { repetitions in
      var writer = JSONWriter(capacity: 16_384)
      var written = 0
      for _ in 0..<repetitions {
        writer.truncate(to: 0)
        guard writer.append(utf8: bytes.span) else { preconditionFailure("the sample text is UTF-8") }
        written += writer.count
      }
      return written
    }
  }
}
