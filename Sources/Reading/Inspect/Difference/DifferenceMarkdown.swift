internal import TapelineBase

/// `diff` for a pull request: GitHub's Markdown, the most important first, long lists folded.
package struct DifferenceMarkdown {
  private let difference: Difference
  private let verdicts: [LimitVerdict]
  private let limit: Int

  /// - Parameter limit: the maximum number of items in a list.
  package init(_ difference: Difference, verdicts: [LimitVerdict], limit: Int) {
    self.difference = difference
    self.verdicts = verdicts
    self.limit = limit
  }

  package var lines: [String] {
    ["### \(headline)", ""] + (verdicts.isEmpty ? [] : ["**\(plain(difference.headline))**", ""]) + limits + summary + times
      + details + remarks
  }

  private var headline: String {
    let broken = verdicts.count(where: \.isBroken)
    guard verdicts.isEmpty else {
      return broken == 0
        ? "✅ All limits kept" : "❌ \(broken) of \(Count.text(verdicts.count, "limit")) broken"
    }
    return plain(difference.headline)
  }

  private var limits: [String] {
    guard !verdicts.isEmpty else { return [] }
    return verdicts.flatMap { verdict in
      ["- \(verdict.isBroken ? "❌" : "✅") \(code(verdict.limit)): \(plain(verdict.message))"]
        + (verdict.isBroken ? verdict.details.map { "  - \(code($0))" } : [])
    } + [""]
  }

  // MARK: Tables

  private var summary: [String] {
    let before = difference.before
    let after = difference.after
    return table(
      ["", "before", "after"], alignments: "lrr",
      [
        ["capture", code(before.file), code(after.file)],
        ["exchanges", String(before.exchanges), String(after.exchanges)],
        ["failed, or status ≥ 400", String(before.errorCount), String(after.errorCount)],
        ["different requests", String(before.requests.count), String(after.requests.count)],
        ["bodies on the wire", ByteCountText.long(before.wire.total), ByteCountText.long(after.wire.total)],
      ])
  }

  private var times: [String] {
    guard !difference.times.isEmpty else { return [] }
    return table(
      ["pooled", "before", "after", "change", "95 % interval"], alignments: "lrrrc",
      difference.notableTimes.map { change in
        [
          change.label, DurationText.compact(change.before), DurationText.compact(change.after),
          change.relative.map(ChangeText.percent) ?? ChangeText.duration(change.difference),
          ChangeText.interval(change.interval),
        ]
      })
  }

  private func table(_ heading: [String], alignments: String, _ rows: [[String]]) -> [String] {
    let rules = alignments.map { alignment in
      switch alignment {
      case "r": "--:"
      case "c": ":-:"
      case _: "---"
      }
    }
    return ([heading, rules] + rows).map { "| " + $0.joined(separator: " | ") + " |" } + [""]
  }

  // MARK: Details

  private var details: [String] {
    requests("slower", .slower) + requests("faster", .faster)
      + folded("new requests", difference.added) { "\(code($0.request.text)): \($0.outcomesText)" }
      + folded("removed requests", difference.removed) { "\(code($0.request.text)): \($0.outcomesText)" }
      + folded("requests with another status", difference.requests.filter { !$0.outcomes.isEmpty }) { request in
        let changes = request.outcomes.map { "\($0.before.text) → \($0.after.text) ×\($0.count)" }
        return "\(code(request.request.text)): \(changes.joined(separator: ", "))"
      }
      + folded("requests redirected elsewhere", difference.requests.filter { !$0.redirects.isEmpty }) { request in
        let changes = request.redirects.map {
          "\(code(ChangeText.target($0.before))) → \(code(ChangeText.target($0.after))) ×\($0.count)"
        }
        return "\(code(request.request.text)): \(changes.joined(separator: ", "))"
      }
      + folded("requests with another version of HTTP", difference.requests.filter { !$0.versions.isEmpty }) { request in
        let changes = request.versions.map { "\($0.before) → \($0.after) ×\($0.count)" }
        return "\(code(request.request.text)): \(changes.joined(separator: ", "))"
      }
      + folded("requests with bodies of other sizes", difference.resized) { "\(code($0.request.text)): \($0.sizesText)" }
      + folded("changed header fields", difference.headers) { change in
        "\(change.side.rawValue) \(code(change.name)): \(code(change.valuesText())), \(Count.text(change.count, "exchange"))"
      }
  }

  private func requests(_ title: String, _ direction: Difference.Direction) -> [String] {
    folded("\(title) requests", difference.requests(direction)) { request in
      let phases = request.leadingPhases.prefix(2).map { "\($0.part.name) \(ChangeText.duration($0.difference))" }
      return ([code(request.request.text) + ": " + request.changeText] + phases).joined(separator: ", ")
    }
  }

  private func folded<Item>(_ title: String, _ items: [Item], _ text: (Item) -> String) -> [String] {
    guard !items.isEmpty else { return [] }
    let hidden = items.count - min(items.count, limit)
    return ["<details><summary>\(title) (\(items.count))</summary>", ""] + items.prefix(limit).map { "- " + text($0) }
      + (hidden > 0 ? ["- … and \(hidden) more"] : []) + ["", "</details>", ""]
  }

  private var remarks: [String] {
    difference.remarks.isEmpty ? [] : difference.remarks.map { "_\(plain($0))_" } + [""]
  }

  // MARK: Text

  /// Text from strangers, shown literally: nothing in it is markup, closes the span, or ends the table cell.
  private func code(_ text: String) -> String {
    let quiet = text.printable.replacing("`", with: "ˋ").replacing("|", with: "\\|")
    return "`\(quiet)`"
  }

  private func plain(_ text: String) -> String {
    text.printable.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }
}
