package import TapelineHAR

/// What `show` says of one exchange when nothing particular is asked for.
package struct ExchangeSummary {
  private let entry: HAREntry
  private let number: Int
  private let palette: Palette

  private static let labelWidth = 10
  private static let barWidth = 40

  package init(number: Int, entry: HAREntry, palette: Palette) {
    self.number = number
    self.entry = entry
    self.palette = palette
  }

  package var lines: [String] {
    [title] + facts.map { label($0.name) + $0.text } + ["", palette.apply(.bold, to: "timings")] + timings
  }

  private var title: String {
    palette.apply(.bold, to: "#\(number) \(entry.request.method.printable) \(entry.request.url.printable)")
  }

  private func label(_ name: String) -> String {
    palette.apply(.dim, to: name.padded(to: Self.labelWidth))
  }

  // MARK: Facts

  private var facts: [(name: String, text: String)] {
    let all: [(name: String, text: String?)] = [
      ("started", entry.startedDateTime.printable),
      ("status", status),
      ("failure", RecordedFailure(entry).map { palette.apply(.red, to: $0.text.printable) }),
      ("server", server),
      ("request", request),
      ("response", response),
    ]
    return all.compactMap { fact in fact.text.map { (fact.name, $0) } }
  }

  private var status: String {
    let response = entry.response
    if response.status != 0 { return "\(response.status) \(response.statusText) (\(response.httpVersion))".printable }
    guard let local = entry.custom["_localStatus"]?.integer else { return "none" }
    return "none from the server; the proxy answered \(local)"
  }

  private var server: String? {
    guard let address = entry.serverIPAddress, !address.isEmpty else { return nil }
    let port = entry.custom["_serverPort"]?.integer.map(String.init) ?? entry.connection
    let host = address.contains(":") ? "[\(address)]" : address
    let reuse = (entry.timings.connect ?? -1) >= 0 ? "new connection" : "reused connection"
    return "\(host)\(port.map { ":\($0)" } ?? "") (\(reuse))".printable
  }

  private var request: String {
    let type = entry.request.postData.map { ", \($0.mimeType.printable)" } ?? ""
    return "head \(size(entry.request.headersSize)), body \(size(entry.request.bodySize))\(type)"
  }

  private var response: String? {
    let response = entry.response
    guard response.status != 0 else { return nil }
    let type = response.content.mimeType.isEmpty ? "" : ", \(response.content.mimeType.printable)"
    let decoded =
      response.content.size > 0 && response.content.size != response.bodySize ? " (\(size(response.content.size)) decoded)" : ""
    return "head \(size(response.headersSize)), body \(size(response.bodySize))\(decoded)\(type)"
  }

  private func size(_ count: Int) -> String {
    count < 0 ? "unknown" : ByteCountText.long(count)
  }

  // MARK: Timings

  /// One line per phase, each with a bar that starts where the phase started.
  private var timings: [String] {
    let durations = PhaseDurations(entry.timings)
    let total = max(entry.time, 0)
    var start = 0.0
    var lines: [String] = []
    for phase in Phase.allCases {
      let duration = durations[phase]
      // TLS is the last part of connecting, so its bar ends where that of `connect` did.
      let offset = phase == .ssl ? start - (duration ?? 0) : start
      let bar = duration.map { self.bar(from: offset, for: $0, of: total) } ?? ""
      lines.append(line(phase == .ssl ? "  ssl" : phase.name, duration, bar))
      if phase != .ssl { start += duration ?? 0 }
    }
    return lines + [line("total", entry.time, "")]
  }

  private func line(_ name: String, _ milliseconds: Double?, _ bar: String) -> String {
    let figure = (milliseconds.map(DurationText.exact) ?? "-").rightAligned(to: 14)
    let text = label("  " + name) + figure
    return bar.isEmpty ? text : text + "  " + palette.apply(.cyan, to: bar)
  }

  private func bar(from start: Double, for duration: Double, of total: Double) -> String {
    guard total > 0, total.isFinite, duration > 0, start >= 0 else { return "" }
    let scale = Double(Self.barWidth) / total
    let offset = min(Int(start * scale), Self.barWidth - 1)
    let length = min(max(1, Int((duration * scale).rounded())), Self.barWidth - offset)
    return String(repeating: " ", count: offset) + String(repeating: "━", count: length)
  }
}
