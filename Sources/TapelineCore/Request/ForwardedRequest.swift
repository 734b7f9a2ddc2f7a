/// A client's request that goes out as it came: a proxy's upstream leg. Its task delegate has all that comes of it; there are no handlers.
///
/// Safety: `@unchecked Sendable` is inherited; it stores nothing.
package final class ForwardedRequest: Request, @unchecked Sendable {}
