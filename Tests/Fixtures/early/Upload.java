import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Puts as many bytes as the first argument says to each URL after it, on one connection where it is kept, and prints each status. */
class Upload {
  public static void main(String[] arguments) throws Exception {
    byte[] body = new byte[Integer.parseInt(arguments[0])];
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (int index = 1; index < arguments.length; index++) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(arguments[index])).PUT(HttpRequest.BodyPublishers.ofByteArray(body)).build();
      HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      System.out.println(response.statusCode() + " " + response.body().length);
    }
  }
}
