import Testing

@testable import TapelineInspect

@Suite("Measure text")
struct MeasureTextTests {
  @Test("As exact as the log")
  func values() {
    #expect(MeasureText.text(200.412, .quantity(.duration)) == "200.412ms")
    #expect(MeasureText.text(200, .quantity(.duration)) == "200ms")
    #expect(MeasureText.text(12_345.6, .quantity(.duration)) == "12.346s")
    #expect(MeasureText.text(512, .quantity(.size)) == "512 B")
    #expect(MeasureText.text(61_223, .quantity(.size)) == "59.8 KiB (61223 B)")
    #expect(MeasureText.text(0.0513, .share) == "5.13 %")
    #expect(MeasureText.text(12.5, .any) == "12.5")
    #expect(MeasureText.text(.infinity, .any) == "inf")
  }

  @Test("By how much")
  func excess() {
    #expect(MeasureText.excess(312, over: 200, .quantity(.duration)) == "112ms (56 %) too much")
    #expect(MeasureText.excess(199, over: 200, .quantity(.duration)) == "1ms (0.5 %) too little")
    #expect(MeasureText.excess(5, over: 0, .quantity(.duration)) == "5ms too much")
    #expect(MeasureText.excess(3, over: 0, .quantity(.plain)) == "3 too many")
    #expect(MeasureText.excess(20_480, over: 10_240, .quantity(.size)) == "10.0 KiB (100 %) too much")
    #expect(MeasureText.excess(0.3, over: 0.05, .share) == "25 points too much")
    #expect(MeasureText.excess(100, over: 1, .any) == "99 (>1000 %) too much")
    #expect(MeasureText.excess(1, over: 1, .any) == "exactly the bound")
  }
}
