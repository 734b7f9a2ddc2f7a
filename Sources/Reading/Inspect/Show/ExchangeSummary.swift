package import TapelineHAR

/// The default output of `show` for one exchange: facts, the phases, and both messages.
package struct ExchangeSummary {
  private let entry: HAREntry
  private let number: Int
  private let width: Int
  private let palette: Palette
  private let clock: WallClock
  private let stall: Double
  private let schema: ProtobufSchema?

  private static let labelWidth = 10
  private static let bodyLines = 60
  private static let messageLines = 1_000

  /// - Parameters:
  ///   - width: of the bars and of sentences; addresses and messages keep their length.
  ///   - clock: the clock for the start time.
  ///   - stall: a longer gap between events is a stall, in milliseconds.
  ///   - schema: the types of its messages, if it has some.
  package init(
    number: Int, entry: HAREntry, width: Int, palette: Palette, clock: WallClock, stall: Double = StreamTiming.stall,
    schema: ProtobufSchema? = nil
  ) {
    self.clock = clock
    self.stall = stall
    self.schema = schema
    self.number = number
    self.entry = entry
    self.width = width
    self.palette = palette
  }

  package var lines: [String] {
    overview + messages
  }

  /// The summary without the messages.
  var overview: [String] {
    let facts = ExchangeFacts(entry: entry, palette: palette, clock: clock).all
    return [title] + facts.flatMap { fact in lines(of: fact) } + changes + timings
  }

  /// A sentence that is wider than the lines goes on below itself; words and addresses stay whole.
  private func lines(of fact: ExchangeFacts.Fact) -> [String] {
    let texts = fact.text.wrapped(to: max(1, width - Self.labelWidth))
    return texts.enumerated().map { place, text in
      let label = palette.apply(.dim, to: (place == 0 ? fact.name : "").padded(to: Self.labelWidth))
      return label + (fact.style.map { palette.apply($0, to: text) } ?? text)
    }
  }

  private func wrapped(_ sentence: String) -> [String] { sentence.wrapped(to: max(1, width - 2)).map(Self.indented) }

  private var title: String {
    palette.apply(.bold, to: "#\(number) \(entry.request.method.printable) \(entry.request.url.printable)")
  }

  private var changes: [String] {
    let changes = RecordedChange.all(of: entry)
    let injections = entry.injections
    return (injections.isEmpty ? [] : section("done by rules") + injections.flatMap { wrapped($0.printable) })
      + (changes.isEmpty ? [] : section("changed by the proxy") + changes.flatMap { wrapped($0.text.printable) })
  }

  private var timings: [String] {
    let durations = PhaseDurations(entry)
    let delivery = RecordedDelivery(entry)
    let bars = PhaseBars(
      durations, total: entry.duration, delivery: delivery?.milliseconds, width: width, palette: palette
    ).lines
    let longest = LongestPhaseText.line(for: durations, total: entry.duration ?? 0).map { wrapped("longest: \($0)") } ?? []
    return section("timings") + bars + longest + (delivery.map { wrapped($0.text) } ?? [])
  }

  private var messages: [String] {
    let request = entry.request
    var lines = section("request") + MessageHeads.request(request, palette: palette).map(Self.indented)
    lines += body(BodyText(request: request, palette: palette, limit: Self.bodyLines))
    if entry.response.status > 0 {
      lines += section("response") + MessageHeads.response(entry.response, palette: palette).map(Self.indented)
      let drawn = StreamDrawing.lines(of: entry, stall: stall, width: width - 2, palette: palette)
      if !drawn.isEmpty { lines += section("stream") + drawn.map(Self.indented) }
      let isOfBody = StreamFormat(entry)?.isOfBody == true
      if isOfBody { lines += answer }
      let events = isOfBody ? EventStreamText.lines(of: entry, width: width - 2, palette: palette, limit: Self.bodyLines) : []
      lines +=
        events.isEmpty
        ? body(BodyText(response: entry.response, palette: palette, limit: Self.bodyLines))
        : section("events") + events.map(Self.indented)
    }
    return lines + webSocketMessages + callMessages
  }

  /// The text that the events of a model's answer make together.
  private var answer: [String] {
    guard let text = ModelCall(entry)?.answer.text, !text.isEmpty else { return [] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      line.isEmpty ? [""] : wrapped(String(line).printable)
    }
    let more = lines.count - Self.bodyLines
    let note = more > 0 ? [Self.indented(palette.apply(.dim, to: "(… \(more) more lines)"))] : []
    return section("answer") + lines.prefix(Self.bodyLines) + note
  }

  private var webSocketMessages: [String] {
    let lines = WebSocketText.lines(of: entry, width: width - 2, palette: palette, limit: Self.bodyLines)
    return lines.isEmpty ? [] : section("messages") + lines.map(Self.indented)
  }

  private var callMessages: [String] {
    let lines = CallText.lines(of: entry, palette: palette, limit: Self.bodyLines)
    let messages = ProtobufText.lines(of: entry, schema: schema, palette: palette, limit: Self.messageLines)
    return (lines.isEmpty ? [] : section("gRPC messages") + lines.map(Self.indented))
      + (messages.isEmpty ? [] : section("protobuf") + messages.map(Self.indented))
  }

  private func body(_ text: BodyText) -> [String] {
    let lines = text.lines
    return lines.isEmpty ? [] : [""] + lines.map(Self.indented)
  }

  private func section(_ name: String) -> [String] {
    ["", palette.apply(.bold, to: name)]
  }

  private static func indented(_ line: String) -> String {
    line.isEmpty ? line : "  " + line
  }
}
