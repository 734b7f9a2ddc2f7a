internal import TapelineBase

/// `diff` for people: sections of at most `width` columns, without the empty ones.
package struct DifferenceText {
  private let difference: Difference
  private let verdicts: [LimitVerdict]
  private let limit: Int
  private let width: Int
  private let palette: Palette

  private static let figureWidth = 9
  private static let intervalWidth = 21

  /// - Parameter limit: the maximum number of items in a section.
  package init(_ difference: Difference, verdicts: [LimitVerdict], limit: Int, width: Int, palette: Palette) {
    self.difference = difference
    self.verdicts = verdicts
    self.limit = limit
    self.width = width
    self.palette = palette
  }

  package var lines: [String] {
    let changes = [
      requests("slower", .slower), requests("faster", .faster), profiles("new requests", difference.added),
      profiles("removed requests", difference.removed), outcomes, redirects, versions, sizes, headers,
    ].filter { !$0.isEmpty }
    let sections = [headline, times] + (changes.isEmpty ? [["nothing else has changed"]] : changes) + [limits]
    return palette.signs(in: summary + sections.filter { !$0.isEmpty }.flatMap { [""] + $0 } + remarks)
  }

  // MARK: Summary

  private var summary: [String] {
    [side("before", difference.before), side("after", difference.after)]
  }

  private func side(_ name: String, _ profile: CaptureProfile) -> String {
    let facts =
      "\(Count.text(profile.exchanges, "exchange")), \(profile.failures) failed, \(Count.text(profile.requests.count, "request"))"
    let room = max(12, width - 8 - facts.cellCount - 2)
    return palette.apply(.dim, to: name.padded(to: 8)) + profile.file.printable.elided(to: room) + "  " + facts
  }

  private var headline: [String] {
    difference.headline.wrapped(to: width).map { palette.apply(.bold, to: $0) }
  }

  // MARK: Times

  private var times: [String] {
    guard !difference.times.isEmpty else { return [] }
    let heading = row("pooled", "", "before", "after", "change", "95 % interval")
    return [palette.apply(.bold, to: heading)] + difference.notableTimes.map(row)
  }

  private var nameWidth: Int { max(8, (difference.notableTimes.map(\.part.name.count).max() ?? 0) + 1) }

  private func row(_ change: TimeChange) -> String {
    let isFirst = change.percent == TimeChange.percents[0]
    let share = change.relative.map(ChangeText.percent) ?? ChangeText.duration(change.difference)
    return row(
      isFirst ? change.part.name : "", "p\(MeasureText.trimmed(change.percent))", DurationText.compact(change.before),
      DurationText.compact(change.after), share, ChangeText.interval(change.interval))
  }

  private func row(
    _ name: String, _ percentile: String, _ before: String, _ after: String, _ share: String, _ interval: String
  ) -> String {
    name.padded(to: nameWidth) + percentile.padded(to: 4)
      + [before, after, share].map { $0.rightAligned(to: Self.figureWidth) }.joined()
      + interval.rightAligned(to: Self.intervalWidth + 2)
  }

  // MARK: Requests

  private func requests(_ title: String, _ direction: Difference.Direction) -> [String] {
    section(title + " requests", difference.requests(direction)) { request in
      let counts =
        request.before.count == request.after.count
        ? Count.text(request.after.count, "exchange") : "\(request.before.count) → \(request.after.count) exchanges"
      let phases = request.leadingPhases.prefix(2).map { "\($0.part.name) \(ChangeText.duration($0.difference))" }
      return [name(request.request)] + indented([request.changeText, ([counts] + phases).joined(separator: ", ")])
    }
  }

  private func profiles(_ title: String, _ profiles: [RequestProfile]) -> [String] {
    section(title, profiles) { profile in
      item(profile.request, "\(profile.outcomesText)  #\(profile.firstNumber)")
    }
  }

  private var outcomes: [String] {
    let changed = difference.requests.filter { !$0.outcomes.isEmpty }
    return section("changed status", changed) { request in
      let changes = request.outcomes.prefix(3).map {
        "\($0.before.text) → \($0.after.text) ×\($0.count) (#\($0.afterNumber))"
      }
      return item(request.request, changes.joined(separator: ", "))
    }
  }

  private var redirects: [String] {
    let changed = difference.requests.filter { !$0.redirects.isEmpty }
    return section("changed redirects", changed) { request in
      let changes = request.redirects.prefix(2).map {
        "\(ChangeText.target($0.before)) → \(ChangeText.target($0.after)) ×\($0.count)"
      }
      return item(request.request, changes.joined(separator: ", "))
    }
  }

  private var versions: [String] {
    let changed = difference.requests.filter { !$0.versions.isEmpty }
    return section("changed versions", changed) { request in
      let changes = request.versions.prefix(2).map { "\($0.before) → \($0.after) ×\($0.count)" }
      return item(request.request, changes.joined(separator: ", "))
    }
  }

  private var sizes: [String] {
    section("changed sizes", difference.resized) { request in item(request.request, request.sizesText) }
  }

  private var headers: [String] {
    section("changed headers", difference.headers) { change in
      let scope = "\(Count.text(change.count, "exchange")) of \(Count.text(change.requestCount, "request"))"
      let head = "  \(change.side.rawValue.padded(to: 8)) \(change.name.printable)  "
      let values = change.valuesText(width: width - 4)
      let isShort = head.cellCount + values.cellCount + 2 + scope.cellCount <= width
      let shown = palette.apply(.dim, to: scope)
      return isShort ? [head + values + "  " + shown] : [head + shown, "    " + values]
    }
  }

  // MARK: Limits

  private var limits: [String] {
    verdicts.flatMap { verdict in
      let mark = verdict.isBroken ? palette.apply(.red, to: "FAIL") + "  " : palette.apply(.green, to: "ok") + "    "
      return [mark + palette.apply(.bold, to: verdict.limit.printable)] + indented(verdict.message.printable, by: 6)
        + (verdict.isBroken ? verdict.details.flatMap { indented($0.printable, by: 6) } : [])
    }
  }

  private var remarks: [String] {
    let remarks = difference.remarks
    return remarks.isEmpty ? [] : [""] + remarks.flatMap { $0.wrapped(to: width) }.map { palette.apply(.dim, to: $0) }
  }

  // MARK: Items

  private func section<Item>(_ title: String, _ items: [Item], _ lines: (Item) -> [String]) -> [String] {
    guard !items.isEmpty else { return [] }
    let hidden = items.count - min(items.count, limit)
    return [palette.apply(.bold, to: items.count == 1 ? title : "\(title) (\(items.count))")]
      + items.prefix(limit).flatMap(lines) + (hidden > 0 ? [palette.apply(.dim, to: "  … and \(hidden) more; see --top")] : [])
  }

  private func name(_ request: RequestName) -> String {
    "  " + request.text.elided(to: max(20, width - 2))
  }

  /// In one line if both fit, else in two.
  private func item(_ request: RequestName, _ text: String) -> [String] {
    let line = "  \(request.text)  \(text)"
    return line.cellCount <= width ? [line] : [name(request)] + indented(text, by: 4)
  }

  /// In one line if all fit, else each in its own line.
  private func indented(_ parts: [String]) -> [String] {
    let parts = parts.filter { !$0.isEmpty }
    let line = parts.joined(separator: "; ")
    return line.cellCount + 4 <= width ? ["    " + line] : parts.flatMap { indented($0, by: 4) }
  }

  private func indented(_ text: String, by count: Int) -> [String] {
    text.wrapped(to: max(20, width - count)).map { String(repeating: " ", count: count) + $0 }
  }
}
