import TapelineTime
import Testing

@testable import TapelineOTLP

/// Time is moved by hand.
struct MetricsDeliveryTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private static func at(_ seconds: Double) -> MonotonicInstant {
    start.advanced(byNanoseconds: Int64(seconds * 1e9))
  }

  private static func delivery() -> MetricsDelivery {
    MetricsDelivery(every: .seconds(60), attempt: .seconds(10), from: start)
  }

  private static let taken = CollectorAnswer.accepted(rejected: 0, message: "")
  private static let away = CollectorAnswer.unavailable(reason: "it is away", after: nil)

  @Test("Metrics are sent each interval, and what was not taken comes with the next")
  func intervals() {
    var delivery = Self.delivery()
    #expect(delivery.next(at: Self.at(1)) == .wait(until: Self.at(60)))
    #expect(delivery.next(at: Self.at(60)) == .send)
    #expect(delivery.next(at: Self.at(61)) == .wait(until: Self.at(70)))
    delivery.didEnd(Self.taken, at: Self.at(62))
    #expect(delivery.next(at: Self.at(62)) == .wait(until: Self.at(120)))
    #expect(delivery.next(at: Self.at(120)) == .send)
    delivery.didEnd(Self.away, at: Self.at(121))
    #expect(delivery.next(at: Self.at(121)) == .wait(until: Self.at(181)))
    #expect(delivery.sent == 1 && delivery.failed == 1 && delivery.trouble == "it is away")
    #expect(delivery.next(at: Self.at(181)) == .send)
    #expect(delivery.next(at: Self.at(191)) == .cancel)
    delivery.didEnd(Self.taken, at: Self.at(192))
    #expect(delivery.sent == 1 && delivery.failed == 2)
  }

  @Test("At the end the last state is sent at once, and again until it is taken or there is no time left")
  func end() {
    var delivery = Self.delivery()
    delivery.finish(by: Self.at(15), isEmpty: false, at: Self.at(10))
    #expect(delivery.next(at: Self.at(10)) == .send)
    delivery.didEnd(Self.away, at: Self.at(11))
    #expect(delivery.next(at: Self.at(11)) == .wait(until: Self.at(12)))
    #expect(delivery.next(at: Self.at(12)) == .send)
    delivery.didEnd(Self.taken, at: Self.at(13))
    #expect(delivery.next(at: Self.at(13)) == .done)

    var patient = Self.delivery()
    patient.finish(by: Self.at(15), isEmpty: false, at: Self.at(10))
    #expect(patient.next(at: Self.at(10)) == .send)
    #expect(patient.next(at: Self.at(15)) == .cancel)
    #expect(patient.next(at: Self.at(15)) == .done)

    var refused = Self.delivery()
    refused.finish(by: Self.at(15), isEmpty: false, at: Self.at(10))
    #expect(refused.next(at: Self.at(10)) == .send)
    refused.didEnd(.refused(reason: "it answers 404"), at: Self.at(11))
    #expect(refused.next(at: Self.at(11)) == .done)
    #expect(refused.trouble == "it answers 404")

    var empty = Self.delivery()
    empty.finish(by: Self.at(15), isEmpty: true, at: Self.at(10))
    #expect(empty.next(at: Self.at(10)) == .done)
  }

  @Test("A sending that began before the end is followed by one with everything")
  func lastExchanges() {
    var delivery = Self.delivery()
    #expect(delivery.next(at: Self.at(60)) == .send)
    delivery.finish(by: Self.at(66), isEmpty: false, at: Self.at(61))
    #expect(delivery.next(at: Self.at(61)) == .wait(until: Self.at(66)))
    delivery.didEnd(Self.taken, at: Self.at(62))
    #expect(delivery.next(at: Self.at(62)) == .send)
    delivery.didEnd(Self.taken, at: Self.at(63))
    #expect(delivery.next(at: Self.at(63)) == .done)
    #expect(delivery.sent == 2)
  }
}
