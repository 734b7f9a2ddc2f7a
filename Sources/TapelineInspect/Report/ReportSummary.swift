internal import TapelineHAR

/// The result of writing a report.
package struct ReportSummary: Sendable, Hashable {
  /// Exchanges in the report, and exchanges left out for lack of room.
  package internal(set) var exchanges = 0
  package internal(set) var leftOut = 0
  /// Bodies that are missing from the report or cut.
  package internal(set) var cutBodies = 0
  package internal(set) var bytes = 0

  /// The summary in the form that the page reads.
  var value: HARValue {
    [
      "exchanges": .number(HARNumber(exchanges)), "leftOut": .number(HARNumber(leftOut)),
      "cutBodies": .number(HARNumber(cutBodies)),
    ]
  }
}
