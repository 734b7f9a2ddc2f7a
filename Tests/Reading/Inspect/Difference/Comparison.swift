import TapelineHAR

@testable import TapelineInspect

/// Two captures for tests: one as it is, one with every sort of change.
enum Comparison {
  static let before: CaptureProfile = profile("before.har") { entry, index in
    switch index {
    case 1...40: order(&entry, index, wait: 10)
    case 41...44: entry.request.url = "http://shop.test/login"
    case 45: entry.request.url = "http://shop.test/gone"
    case _: entry.request.url = "http://shop.test/list?n=\(index)"
    }
    if (41...44).contains(index) { redirect(&entry, to: "/home/\(index)") }
  }

  static let after: CaptureProfile = profile("after.har") { entry, index in
    switch index {
    case 1...40: order(&entry, index, wait: 25)
    case 41...44: entry.request.url = "http://shop.test/login"
    case 45: entry.request.url = "http://cdn.test/fresh"
    case _:
      entry.request.url = "http://shop.test/list?n=\(index)"
      entry.response.content.size = 2_000
      entry.response.bodySize = 1_500
    }
    if (41...44).contains(index) { redirect(&entry, to: "/account") }
    if (10...12).contains(index) { entry.response.status = 503 }
    entry.response.headers = [HARHeader(name: "Server", value: "two"), HARHeader(name: "X-Cache", value: "HIT")]
  }

  static func profile(_ file: String, count: Int = 50, _ change: (inout HAREntry, Int) -> Void) -> CaptureProfile {
    var profile = CaptureProfile(file: file)
    for index in 1...count {
      var entry = HAREntry.ordinary()
      entry.response.headers = [HARHeader(name: "Server", value: "one"), HARHeader(name: "Date", value: "\(index)")]
      entry.timings = HARTimings(blocked: 0, dns: -1, connect: -1, send: 0, wait: 5, receive: 1, ssl: -1)
      entry.time = 6
      change(&entry, index)
      profile.add(entry, number: index)
    }
    return profile
  }

  private static func order(_ entry: inout HAREntry, _ index: Int, wait: Double) {
    entry.request.url = "http://shop.test/orders/\(index)"
    entry.timings.wait = wait + Double(index % 5)
    entry.time = entry.timings.wait + 1
  }

  private static func redirect(_ entry: inout HAREntry, to target: String) {
    entry.response.status = 302
    entry.response.redirectURL = target
  }

  static let difference = Difference(before: before, after: after)
}
