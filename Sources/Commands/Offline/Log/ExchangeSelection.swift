internal import TapelineHAR
package import TapelineInspect
internal import TapelineBase

/// Which exchanges of a file `show` prints.
package enum ExchangeSelection {
  /// By the numbers that `list` prints, in this order.
  case numbers([ClosedRange<Int>])
  /// The exchange that took the most time, of those that match.
  case slowest(Query?)
  case matching(Query?)
}

extension ExchangePrinter {
  /// Prints the exchanges of a selection. What comes before a failure is printed, too.
  package mutating func print(_ selection: ExchangeSelection) throws(CommandFailure) {
    do throws(CommandFailure) {
      switch selection {
      case .numbers(let ranges): try print(ranges)
      case .slowest(let filter):
        let number = try slowestNumber(filter)
        try print([number...number])
      case .matching(let filter): try printMatching(filter)
      }
    } catch {
      try flush()
      throw error
    }
    try flush()
  }

  private mutating func print(_ ranges: [ClosedRange<Int>]) throws(CommandFailure) {
    // In the order of the file, exchanges are printed as they come; in any other order they wait for each other.
    let isInOrder = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    var held: [Int: HAREntry] = [:]
    var found = NumberedExchanges(ranges, in: source)
    while let (number, entry) = try next(&found) {
      if isInOrder { try print(entry, number: number) } else { held[number] = entry }
    }
    for number in ranges.lazy.joined() {
      guard number <= found.count else {
        throw CommandFailure(
          status: .usage, what: "\(path), exchange \(number)",
          why: "the file has \(Count.text(found.count, "exchange"))",
          remedy: "choose one of those that tapeline list prints")
      }
      if let entry = held[number] { try print(entry, number: number) }
    }
    if let (number, error) = found.unreadable.first {
      throw CommandFailure(
        status: .badInput, what: "\(path), exchange \(number)", why: error.description, remedy: "choose another exchange")
    }
  }

  private func next(_ exchanges: inout NumberedExchanges) throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    do throws(CaptureError) {
      return try exchanges.next()
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  private mutating func printMatching(_ filter: Query?) throws(CommandFailure) {
    var capture = CaptureFile(source, filter: filter, bodies: bodies, isExact: isExact)
    var count = 0
    while let (number, entry) = try capture.next() {
      try print(entry, number: number)
      count += 1
    }
    if count == 0 { throw nothing(filter) }
  }

  private func slowestNumber(_ filter: Query?) throws(CommandFailure) -> Int {
    var capture = CaptureFile(source, parts: .overview, filter: filter, bodies: bodies)
    var longest: (number: Int, time: Double)?
    while let (number, entry) = try capture.next() {
      // An unknown time is not among the longest.
      let total = entry.total ?? -1
      if let longest, longest.time >= total { continue }
      longest = (number, total)
    }
    guard let longest else { throw nothing(filter) }
    return longest.number
  }

  private func nothing(_ filter: Query?) -> CommandFailure {
    CommandFailure(
      status: .conditionFailed, what: path, why: filter == nil ? "it has no exchange" : "no exchange matches --filter",
      remedy: "choose others")
  }
}
