// SPDX-License-Identifier: Apache-2.0
// java.net.URLConnection.
import java.net.URI;

class OldClient {
    public static void main(String[] urls) throws Exception {
        for (var url : urls) {
            try (var body = URI.create(url).toURL().openConnection().getInputStream()) {
                body.transferTo(System.out);
            }
        }
    }
}
