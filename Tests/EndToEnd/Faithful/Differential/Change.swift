import TapelineTestSupport

/// One thing that a relay did to a message: what `_changes` of an entry lists, and what a comparison of both sides shows.
struct Change: Hashable, CustomStringConvertible {
  enum Leg: String { case request, response }

  let leg: Leg
  let change: String
  /// As spelled; `:version` is the start line's.
  let name: String
  var from: String?
  var to: String?
  var isTrailer = false

  var description: String {
    "\(leg) \(change) \(name): \(from ?? "-") → \(to ?? "-")\(isTrailer ? " (trailer)" : "")"
  }

  /// What a table says of it: the leg and the name.
  var place: String { "\(leg):\(name.lowercased())" }
}

extension RecordedEntry {
  /// What the entry says was changed; `nil` where an element is none.
  var changes: [Change]? {
    guard let listed = tree["_changes"] else { return [] }
    let changes = listed.elements.compactMap { element -> Change? in
      guard let leg = element["leg"]?.string.flatMap(Change.Leg.init(rawValue:)), let change = element["change"]?.string,
        ["added", "removed", "rewritten"].contains(change), let name = element["name"]?.string
      else { return nil }
      return Change(
        leg: leg, change: change, name: name, from: element["from"]?.string, to: element["to"]?.string,
        isTrailer: element["trailer"]?.bool ?? false)
    }
    // An entry to which nothing was done has no member, rather than an empty one.
    return changes.count == listed.elements.count && !changes.isEmpty ? changes : nil
  }
}

/// What was done to the lines of one message on its way, by the lines alone.
///
/// A line is the same if its name's spelling and its value are; a removed and an added line of one name are one that was
/// rewritten.
func changes(
  _ leg: Change.Leg, from sent: [(name: String, value: String)], to received: [(name: String, value: String)],
  isTrailer: Bool = false
) -> [Change] {
  let before = sent.map { Line(name: $0.name, value: $0.value) }
  let after = received.map { Line(name: $0.name, value: $0.value) }
  let difference = after.difference(from: before)
  var removed = difference.removals.map(\.line)
  var found: [Change] = []
  for added in difference.insertions.map(\.line) {
    if let index = removed.firstIndex(where: { $0.name.lowercased() == added.name.lowercased() }) {
      let old = removed.remove(at: index)
      found.append(
        Change(leg: leg, change: "rewritten", name: added.name, from: old.value, to: added.value, isTrailer: isTrailer))
    } else {
      found.append(Change(leg: leg, change: "added", name: added.name, to: added.value, isTrailer: isTrailer))
    }
  }
  return found + removed.map { Change(leg: leg, change: "removed", name: $0.name, from: $0.value, isTrailer: isTrailer) }
}

private struct Line: Hashable {
  let name: String
  let value: String
}

extension CollectionDifference.Change where ChangeElement == Line {
  fileprivate var line: Line {
    switch self {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }
}
