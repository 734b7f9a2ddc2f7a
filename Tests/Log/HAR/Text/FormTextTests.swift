import Testing

@testable import TapelineHAR

struct FormTextTests {
  @Test func isEncodedAsFormsAre() {
    #expect(FormText.encoded("a b", "ä&=+\n*-._~") == "a+b=%C3%A4%26%3D%2B%0A*-._%7E")
  }
}
