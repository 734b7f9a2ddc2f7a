import FoundationEssentials
import TapelineCore
import Testing

@Suite struct DataPreprocessorTests {
  @Test("The body is left as it is, or loses the line that servers put before JSON")
  func preprocessors() throws {
    #expect(PassthroughPreprocessor().preprocess(Data("x".utf8)) == Data("x".utf8))
    let processed = GoogleXSSIPreprocessor().preprocess(Data(")]}',\n{}".utf8))
    #expect(processed == Data("{}".utf8))
    #expect(processed.startIndex == 0)
    #expect(GoogleXSSIPreprocessor().preprocess(Data(")]}'".utf8)) == Data(")]}'".utf8))
    #expect(GoogleXSSIPreprocessor().preprocess(Data()) == Data())
    let named: any DataPreprocessor = .googleXSSI
    #expect(try named.preprocess(Data(")]}',\n1".utf8)) == Data("1".utf8))
  }
}
