<?xml version="1.0" encoding="UTF-8"?>
<!-- What the back end answers, in the words of the client: echoResponse and order become buyResponse and stock.
     The orders are written anew element by element, because copied ones would bring their declarations each. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:esb="http://perfstudies/esb">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>

  <xsl:template match="@*|node()">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
    </xsl:copy>
  </xsl:template>

  <xsl:template match="esb:echoResponse">
    <esb:buyResponse>
      <xsl:apply-templates select="esb:order"/>
      <xsl:if test="esb:padding">
        <esb:padding><xsl:value-of select="esb:padding"/></esb:padding>
      </xsl:if>
    </esb:buyResponse>
  </xsl:template>

  <xsl:template match="esb:order">
    <esb:stock>
      <esb:symbol><xsl:value-of select="esb:symbol"/></esb:symbol>
      <esb:buyer><xsl:value-of select="esb:buyer"/></esb:buyer>
      <esb:price><xsl:value-of select="esb:price"/></esb:price>
      <esb:volume><xsl:value-of select="esb:volume"/></esb:volume>
    </esb:stock>
  </xsl:template>
</xsl:stylesheet>
