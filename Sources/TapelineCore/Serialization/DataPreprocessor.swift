public import FoundationEssentials

/// Changes a body before it is made into a value.
public protocol DataPreprocessor: Sendable {
  /// The body that is made into a value in place of `data`.
  func preprocess(_ data: Data) throws -> Data
}

/// Leaves the body as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
  /// It has no options.
  public init() {}

  public func preprocess(_ data: Data) -> Data { data }
}

/// Takes away the line `)]}',` that some servers put before JSON to keep browsers from running it.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
  private static let prefix = Data(")]}',\n".utf8)

  /// It has no options.
  public init() {}

  public func preprocess(_ data: Data) -> Data {
    data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
  }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
  /// Leaves the body as it is.
  public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
  /// Takes away the line `)]}',`.
  public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}
