// SPDX-License-Identifier: Apache-2.0
// java.net.http.HttpClient, with the default proxy selector and without one.
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

class NewClient {
    public static void main(String[] urls) throws Exception {
        var plain = HttpClient.newHttpClient();
        var selecting = HttpClient.newBuilder().proxy(ProxySelector.getDefault()).build();
        for (var url : urls) {
            var request = HttpRequest.newBuilder(URI.create(url)).build();
            System.out.println(plain.send(request, BodyHandlers.ofString()).body());
            System.out.println(selecting.send(request, BodyHandlers.ofString()).body());
        }
    }
}
