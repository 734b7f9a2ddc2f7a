import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Difference as JSON")
struct DifferenceJSONTests {
  @Test("Everything that the texts say, and the times of each request")
  func members() throws {
    let difference = Comparison.difference
    let verdict = try DifferenceLimit("new errors").judge(difference, naming: 3)
    let json = difference.json(verdicts: [verdict])
    #expect(json["before"]?["exchanges"]?.integer == 50)
    #expect(json["after"]?["errors"]?.integer == 3)
    let times = try #require(json["times"]?.array)
    let wait = try #require(times.first { $0["time"]?.string == "wait" && $0["percentile"]?.integer == 50 })
    #expect(wait["before"]?.double == 11)
    #expect(wait["change"]?.double == 15)
    #expect(wait["interval"]?.array?.count == 2)
    #expect(wait["significant"] == true)
    let requests = try #require(json["requests"]?.array)
    #expect(requests.count == 3)
    #expect(requests[0]["status"]?.array?.first?["after"]?.string == "503")
    #expect(requests[0]["after"]?["status"]?["503"]?.integer == 3)
    #expect(requests[2]["after"]?["meanDecoded"]?.double == 2_000)
    #expect(json["newRequests"]?.array?.count == 1)
    #expect(json["newHosts"]?.array == ["cdn.test"])
    #expect(json["headers"]?.array?.map { $0["name"]?.string } == ["server", "x-cache"])
    #expect(json["limits"]?.array?.first?["broken"] == true)
  }
}
