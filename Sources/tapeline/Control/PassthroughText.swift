internal import TapelineInspect

/// The clients that are passed through because they refused our certificate, for people.
enum PassthroughText {
  /// - Parameter now: microseconds since 1970.
  static func lines(for clients: [RecordingStatus.PassedThrough], at now: Int) -> [String] {
    let rows =
      [["host", "client", "why", "since", "expires"]]
      + clients.map { client in
        [
          client.host.printable, client.client.printable, client.why.printable, "\(age(from: client.since, to: now)) ago",
          "in \(age(from: now, to: client.expires))",
        ]
      }
    let widths = rows[0].indices.map { column in rows.map { $0[column].cellCount }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { $0 == row.count - 1 ? row[$0] : row[$0].padded(to: widths[$0]) }
      return cells.joined(separator: "  ")
    }
  }

  private static func age(from earlier: Int, to later: Int) -> String {
    DurationText.compact(Double(max(0, later - earlier)) / 1_000)
  }
}
