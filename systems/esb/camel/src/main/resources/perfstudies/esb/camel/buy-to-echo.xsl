<?xml version="1.0" encoding="UTF-8"?>
<!-- What a client asks, in the words of the back end: buy and stock become echo and order.
     The orders are written anew element by element, because copied ones would bring their declarations each. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:esb="http://perfstudies/esb">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>

  <xsl:template match="@*|node()">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
    </xsl:copy>
  </xsl:template>

  <xsl:template match="esb:buy">
    <esb:echo>
      <xsl:apply-templates select="esb:stock"/>
      <xsl:if test="esb:padding">
        <esb:padding><xsl:value-of select="esb:padding"/></esb:padding>
      </xsl:if>
    </esb:echo>
  </xsl:template>

  <xsl:template match="esb:stock">
    <esb:order>
      <esb:symbol><xsl:value-of select="esb:symbol"/></esb:symbol>
      <esb:buyer><xsl:value-of select="esb:buyer"/></esb:buyer>
      <esb:price><xsl:value-of select="esb:price"/></esb:price>
      <esb:volume><xsl:value-of select="esb:volume"/></esb:volume>
    </esb:order>
  </xsl:template>
</xsl:stylesheet>
