/// A raw stream of bytes both ways: a CONNECT tunnel's upstream leg. Its task delegate has the bytes; there are no handlers.
///
/// Safety: `@unchecked Sendable` is inherited; it stores nothing.
public final class StreamRequest: Request, @unchecked Sendable {}
