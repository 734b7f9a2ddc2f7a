internal import TapelineHAR

/// What a report came to.
package struct ReportSummary: Sendable, Hashable {
  /// Exchanges in the report, and those that found no room.
  package internal(set) var exchanges = 0
  package internal(set) var leftOut = 0
  /// Bodies that are not in the report, or not wholly.
  package internal(set) var cutBodies = 0
  package internal(set) var bytes = 0

  /// As the page reads it.
  var value: HARValue {
    [
      "exchanges": .number(HARNumber(exchanges)), "leftOut": .number(HARNumber(leftOut)),
      "cutBodies": .number(HARNumber(cutBodies)),
    ]
  }
}
