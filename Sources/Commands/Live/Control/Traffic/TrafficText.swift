internal import TapelineInspect

/// A recording's live traffic for people: a screen, or a line if stdout is not a terminal.
struct TrafficText {
  let width: Int
  let height: Int
  let palette: Palette

  private static let columns: [(title: String, width: Int)] = [
    ("/s", 7), ("p50", 7), ("p95", 7), ("max", 7), ("4xx 5xx", 8), ("failed", 7), ("up/s", 7), ("down/s", 7), ("in all", 8),
  ]
  private static let hostWidths = 12...60
  private static let failureLines = 6

  func screen(_ interval: TrafficInterval, title: String) -> [String] {
    var lines = [palette.apply(.bold, to: title.printable.elided(to: width)), summary(interval).elided(to: width), ""]
    lines.append(palette.apply(.dim, to: heading))
    let failures = failureText(interval)
    let room = max(1, height - lines.count - (failures.isEmpty ? 0 : failures.count + 2) - 1)
    lines += interval.hosts.prefix(room).map(row)
    if interval.hosts.count > room {
      lines[lines.count - 1] = palette.apply(.dim, to: "and \(interval.hosts.count - room + 1) more")
    }
    if !failures.isEmpty { lines += ["", palette.apply(.dim, to: "last failures")] + failures }
    return lines
  }

  /// One line for a log.
  func line(_ interval: TrafficInterval) -> String {
    let busiest = interval.hosts.first.flatMap { $0.perSecond > 0 ? "busiest \($0.name.printable) \(rate($0.perSecond))/s" : nil }
    return ([summary(interval)] + [busiest].compactMap(\.self)).joined(separator: ", ")
  }

  private func summary(_ interval: TrafficInterval) -> String {
    let all = interval.all
    return [
      "\(rate(all.perSecond))/s", "in flight \(interval.inFlight)", "tunnels \(interval.openTunnels)",
      "clients \(interval.clients)", "p50 \(time(all.p50))", "p95 \(time(all.p95))", "failed \(all.failed)",
      "up \(bytes(all.bytesToServerPerSecond))/s", "down \(bytes(all.bytesToClientPerSecond))/s",
    ].joined(separator: ", ")
  }

  private var hostWidth: Int {
    let rest = Self.columns.reduce(0) { $0 + $1.width }
    return min(max(width - rest, Self.hostWidths.lowerBound), Self.hostWidths.upperBound)
  }

  private var heading: String {
    fit("host".padded(to: hostWidth), Self.columns.map(\.title))
  }

  private func row(_ part: TrafficInterval.Part) -> String {
    let cells = [
      rate(part.perSecond), time(part.p50), time(part.p95), time(part.maximum), count(part.errorResponses), count(part.failed),
      bytes(part.bytesToServerPerSecond), bytes(part.bytesToClientPerSecond), "\(part.exchangesInAll)",
    ]
    let text = fit(part.name.printable.elided(to: hostWidth).padded(to: hostWidth), cells)
    if part.failed > 0 { return palette.apply(.red, to: text) }
    return part.perSecond > 0 ? text : palette.apply(.dim, to: text)
  }

  /// As many columns as the width has room for.
  private func fit(_ host: String, _ cells: [String]) -> String {
    var line = host
    for (cell, column) in zip(cells, Self.columns) {
      guard line.cellCount + column.width <= width else { break }
      line += cell.rightAligned(to: column.width)
    }
    return line
  }

  private func failureText(_ interval: TrafficInterval) -> [String] {
    interval.failures.suffix(Self.failureLines).reversed().map { failure in
      let what = [failure.method, failure.host].compactMap(\.self).joined(separator: " ")
      return palette.apply(.red, to: "\(failure.kind) in \(failure.phase)  \(what)".printable.elided(to: width))
    }
  }

  private func rate(_ perSecond: Double) -> String {
    perSecond >= 99.95 ? "\(Int(perSecond.rounded()))" : "\((perSecond * 10).rounded() / 10)"
  }

  private func time(_ milliseconds: Double?) -> String {
    milliseconds.map(DurationText.compact) ?? "-"
  }

  private func count(_ count: Int) -> String {
    count == 0 ? "-" : "\(count)"
  }

  private func bytes(_ perSecond: Double) -> String {
    ByteCountText.compact(Int(perSecond.rounded()))
  }
}
