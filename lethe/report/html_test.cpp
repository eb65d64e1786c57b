#include "lethe/report/html.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(HtmlTest, NamesFromTheUserCannotBecomeMarkup) {
  EXPECT_EQ(html_escaped("<b class=\"x\">Tom & 'Jerry'</b>"),
            "&lt;b class=&quot;x&quot;&gt;Tom &amp; &#39;Jerry&#39;&lt;/b&gt;");
  EXPECT_NE(html_table({"<i>"}, {{"<script>"}}).find("&lt;script&gt;"), std::string::npos);
  EXPECT_EQ(html_page("<title>", "").find("<title><title>"), std::string::npos);
}

TEST(HtmlTest, APageNeedsNoNetwork) {
  const auto page = html_page("title", "<p>text</p>");

  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_NE(page.find("<p>text</p>"), std::string::npos);
}

}  // namespace
}  // namespace lethe
