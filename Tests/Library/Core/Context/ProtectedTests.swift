import Testing

@testable import TapelineCore

@Suite struct ProtectedTests {
  private struct Failure: Error {}

  private final class Holder: Sendable {
    let counts = Protected([0, 0])
  }

  private struct Wrapped {
    @Protected var pair = (first: 1, second: 2)
  }

  @Test("wrappedValue and $x.write, $x.read go through one lock")
  func wrapsAValue() {
    let wrapped = Wrapped()
    wrapped.$pair.write { $0.first = 7 }
    #expect(wrapped.pair.first == 7)
    #expect(wrapped.$pair.read { $0.second } == 2)
    wrapped.pair = (3, 4)
    #expect(wrapped.pair.second == 4)
  }

  @Test("A member is read and written under the lock")
  func offersMembers() {
    let values = Protected([1, 2, 3])
    #expect(values.count == 3)
  }

  @Test("Each write is one atomic step for all threads")
  func writesAreAtomic() async {
    let holder = Holder()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            holder.counts.write { counts in
              counts[0] += 1
              counts[1] += 1
            }
            let pair = holder.counts.wrappedValue
            #expect(pair[0] == pair[1])
          }
        }
      }
    }
    #expect(holder.counts.wrappedValue == [4_000, 4_000])
  }

  @Test("A closure that throws releases the lock and passes its error on")
  func throwingReleasesTheLock() {
    let value = Protected(1)
    #expect(throws: Failure.self) { try value.write { _ throws(Failure) in throw Failure() } }
    #expect(value.write { $0 + 1 } == 2)
  }
}
