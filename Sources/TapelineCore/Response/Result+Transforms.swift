extension Result where Failure == TapelineError {
  /// As `map`, with a transformation that may throw; an error that it throws is wrapped unless it is a `TapelineError`.
  func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> AFResult<NewSuccess> {
    flatMap { value in
      do {
        return .success(try transform(value))
      } catch {
        return .failure(.fromTransform(error))
      }
    }
  }

  /// The same with another error, wrapped unless it is a `TapelineError`.
  func mapToLibraryError(_ transform: (TapelineError) -> any Error) -> AFResult<Success> {
    mapError { .fromTransform(transform($0)) }
  }

  /// As `mapToLibraryError`; an error that the transformation throws replaces the error.
  func tryMapToLibraryError(_ transform: (TapelineError) throws -> any Error) -> AFResult<Success> {
    mapToLibraryError { error in
      do {
        return try transform(error)
      } catch {
        return error
      }
    }
  }
}

extension TapelineError {
  fileprivate static func fromTransform(_ error: any Error) -> TapelineError {
    error.asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error)))
  }
}
