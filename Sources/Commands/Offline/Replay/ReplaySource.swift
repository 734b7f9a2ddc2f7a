internal import Synchronization
internal import TapelineHAR
package import TapelineInspect
internal import TapelineBase

/// The answers of a capture, given out in the order in which they were recorded. Shared by all loops.
package final class ReplaySource: Sendable {
  package enum Answer {
    case recorded(ReplayAnswer)
    /// The capture has no such request.
    case missing
    /// The file has changed since it was first read.
    case unreadable(String)
  }

  /// The counts for the summary.
  package struct Counts: Sendable, Hashable {
    var answered = 0
    var missing = 0
    /// Answers whose body the capture has only in part.
    var incomplete = 0

    /// For people.
    ///
    /// - Parameter file: the capture's name.
    package func text(of file: String) -> String {
      let partly = incomplete > 0 ? ", \(incomplete) of them with incomplete bodies" : ""
      return "\(Count.text(answered, "request")) answered from \(file)\(partly), \(missing) not in it"
    }

    /// Fails if the capture did not have every request.
    package func requireNoMisses(of file: String) throws(CommandFailure) {
      guard missing > 0 else { return }
      throw CommandFailure(
        status: .conditionFailed, what: "replay \(file)",
        why: "\(Count.text(missing, "request was", "requests were")) not in the capture",
        remedy: "record again, or fold what differs with --ignore-param or --ignore-query")
    }
  }

  private struct State: ~Copyable {
    let file: InputFile
    /// The number of answers that were given to each request.
    var given: [ReplayKey: Int] = [:]
    var counts = Counts()
  }

  private let path: String
  private let index: ReplayIndex
  private let bodies: BodyFiles
  private let state: Mutex<State>

  /// Reads the file once, for its index.
  ///
  /// - Parameter bodies: the body files of the capture.
  package init(path: String, folding: ReplayKey.Folding, bodies: BodyFiles) throws(CommandFailure) {
    self.path = path
    self.bodies = bodies
    let source = try CaptureFile.source(path, for: .anywhere)
    do throws(CaptureError) {
      var file = InputFile(source)
      index = try ReplayIndex(&file, folding: folding)
      state = Mutex(State(file: file))
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  /// Says what the capture offers, for people.
  package var offer: String {
    let leftOut =
      index.leftOut > 0 ? ", \(index.leftOut) that are tunnels, have switched protocols or were in flight are left out" : ""
    return "\(Count.text(index.count, "answer")) in \(path)\(leftOut)"
  }

  package var counts: Counts { state.withLock { $0.counts } }

  /// The next answer to a request; after the last answer, the last answer again. Runs on a loop: it reads one entry from the
  /// file, which the system has in memory, or soon will.
  func answer(method: String, url: String) -> Answer {
    guard let key = ReplayKey(method: method, url: url, folding: index.folding) else { return .missing }
    let slots = index[key]
    return state.withLock { state in
      guard !slots.isEmpty else {
        state.counts.missing += 1
        return .missing
      }
      let position = state.given[key, default: 0]
      state.given[key] = position + 1
      let slot = slots[min(position, slots.count - 1)]
      do {
        let bytes = try state.file.bytes(in: slot.range)
        var entry = try HAREntry(json: bytes)
        bodies.bringIn(&entry)
        let answer = ReplayAnswer(entry)
        state.counts.answered += 1
        if answer.isIncomplete { state.counts.incomplete += 1 }
        return .recorded(answer)
      } catch {
        return .unreadable("exchange \(slot.number) of the capture can no longer be read: \(error)")
      }
    }
  }
}
